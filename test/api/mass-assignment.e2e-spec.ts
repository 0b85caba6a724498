import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { document, OPERATIONS } from '../support/http/document.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

/** A valid body for each operation with an object as its body. A new operation needs a line here. */
const VALID_BODIES: Record<string, string> = {
  createPet: '{"name":"Rex","categoryId":1}',
  updatePet: '{"name":"Max"}',
  placeOrder: '{"petId":1}',
  approveOrder: '{}',
  deliverOrder: '{}',
  cancelOrder: '{}',
};
/** Field names that other services use for internal data. */
const COMMON_NAMES = '__proto__ constructor prototype isAdmin role createdBy version $set Name'.split(' ');

const operations = OPERATIONS.filter(({ method }) => method === 'POST' || method === 'PATCH');

describe.each(databaseKinds)('mass assignment on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);

  it.each(operations)('is refused by $operationId, which then changes nothing', async (operation) => {
    const { id: petId } = await store.create('Rex', 1);
    const { id: orderId } = await store.placed(petId);
    const path = operation.path.replace('{petId}', String(petId)).replace('{orderId}', String(orderId));
    const before = await snapshot();
    const names = await columns();
    for (const name of [...names])
      names.add(name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()));
    const schema = operation.requestBody!.content['application/json'].schema.$ref.split('/').at(-1)!;
    for (const known of Object.keys(document.components.schemas[schema]!.properties ?? {}))
      names.delete(known);
    expect(names.size).toBeGreaterThan(30);
    const valid = VALID_BODIES[operation.operationId]!;
    for (const name of [...names, ...COMMON_NAMES]) {
      const body = valid.replace(/\}$/, `${valid === '{}' ? '' : ','}"${name}":1}`);
      const answer = await store.send({ method: operation.method, path, body });
      expect(expectError(answer, 'invalid_body')).toContain(`"${name}"`);
    }
    expect(await snapshot()).toEqual(before);
  });

  async function columns(): Promise<Set<string>> {
    const rows = await onDatabase<{ name: string }>(
      service,
      `select distinct column_name as name from information_schema.columns
        where table_name in ('pets', 'orders', 'api_keys', 'idempotency_keys')`,
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** Everything that a body could have changed. */
  const snapshot = () =>
    onDatabase(
      service,
      `select to_jsonb(p)::text as row from pets p union all select to_jsonb(o)::text from orders o
        union all select (to_jsonb(k) - 'last_used_at')::text from api_keys k order by 1`,
    );
});
