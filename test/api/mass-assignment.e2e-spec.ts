import { beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { document } from '../support/http/document.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { Store } from '../support/store.js';

/** The operations with an object as their body, and a valid body for each. A new operation needs a line here. */
const VALID_BODIES: Record<string, string> = {
  createPet: '{"name":"Rex","categoryId":1}',
  updatePet: '{"name":"Max"}',
  placeOrder: '{"petId":1}',
  approveOrder: '{}',
  deliverOrder: '{}',
  cancelOrder: '{}',
};
/** Field names that other services use for internal data. */
const COMMON_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'isAdmin',
  'role',
  'createdBy',
  'version',
  '$set',
  'Name',
];

describe.each(databaseKinds)('mass assignment on $name', (kind) => {
  const service = sharedService(kind);
  let store: Store;
  let columns: string[];

  beforeAll(async () => {
    store = new Store(service.url, await service.issueKey());
    const rows = await onDatabase<{ column_name: string }>(
      service,
      `select distinct column_name from information_schema.columns
        where table_name in ('pets', 'orders', 'api_keys', 'idempotency_keys')`,
    );
    columns = rows.map(({ column_name: name }) => name);
  });

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method === 'post' || method === 'patch')
      .map(([method, { operationId }]): [string, string, string] => [
        operationId,
        method.toUpperCase(),
        path,
      ]),
  );

  it.each(operations)('is refused by %s, which then changes nothing', async (operationId, method, path) => {
    const valid = VALID_BODIES[operationId]!;
    const { id: petId } = await store.create('Rex', 1);
    const { id: orderId } = await store.placed(petId);
    const target = `/v1${path.replace('{petId}', String(petId)).replace('{orderId}', String(orderId))}`;
    const before = await snapshot();
    const camelCase = columns.map((name) =>
      name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    );
    const names = new Set([...columns, ...camelCase, ...COMMON_NAMES]);
    for (const known of knownFields(operationId)) names.delete(known);
    expect(names.size).toBeGreaterThan(30);
    for (const name of names) {
      const body = valid.replace(/\}$/, `${valid === '{}' ? '' : ','}"${name}":1}`);
      const answer = await store.send({ method, path: target, body });
      expect(expectError(answer, 'invalid_body')).toContain(`"${name}"`);
    }
    expect(await snapshot()).toBe(before);
  });

  /** Everything that a body could have changed. */
  async function snapshot(): Promise<string> {
    const rows = await onDatabase(
      service,
      `select to_jsonb(p) as row from pets p union all select to_jsonb(o) from orders o
        union all select to_jsonb(k) - 'last_used_at' from api_keys k`,
    );
    return rows
      .map(({ row }) => JSON.stringify(row))
      .sort()
      .join('\n');
  }
});

function knownFields(operationId: string): string[] {
  const schemas: Record<string, string> = {
    createPet: 'NewPet',
    updatePet: 'PetUpdate',
    placeOrder: 'NewOrder',
  };
  const schema = document.components.schemas[schemas[operationId] ?? ''] ?? {};
  return Object.keys(schema.properties ?? {});
}
