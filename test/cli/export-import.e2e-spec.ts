import { statSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { printed, runCommand } from '../support/command-line.js';
import { anyKind, embedded, onDatabase, type TestDatabase } from '../support/databases.js';
import {
  done,
  ExportFolder,
  type Header,
  headerOf,
  readExport,
  sha256Of,
  type Summary,
  tableOf,
} from '../support/export-file.js';
import { ownService, Service } from '../support/service.js';
import { Store, orderOf } from '../support/store.js';

const ways = [
  { name: `${embedded.name} to ${anyKind.name}`, from: embedded, to: anyKind },
  { name: `${anyKind.name} to ${embedded.name}`, from: anyKind, to: embedded },
].slice(0, anyKind === embedded ? 1 : 2);

const INT64_MAX = 9223372036854775807n;
const NAMES = [
  'Rex',
  '  spaces  ',
  '"quoted" \\ back\\slash /',
  'line\nbreak\r\ttab\b\f',
  'control \u0001\u001f\u007f\u0085',
  'separators \u2028 \u2029 \ufeff',
  '🐕‍🦺 ñ n\u0303 ポチ',
  '{"table":"pets","row":{}}',
  '𝒳'.repeat(255),
];
const keyed = {
  method: 'POST',
  path: '/v1/pets',
  headers: { 'idempotency-key': 'a repeat' },
  body: '{"name":"once","categoryId":1}',
};

describe.each(ways)('an export from $name', ({ from, to }) => {
  const folder = new ExportFolder();
  let target: TestDatabase;
  let first: string;
  let key: string;
  let oldSecret: string;
  let revoked: string;
  let answersBefore: string[];
  let highestPetId: bigint;

  const answersOf = async (store: Store) =>
    Promise.all(
      [{ path: '/v1/pets?limit=100' }, { path: '/v1/store/orders' }, keyed].map(
        async (call) => (await store.send(call)).text,
      ),
    );

  beforeAll(async () => {
    const source = await from.create();
    target = await to.create();
    const service = await Service.start(source.env);
    const issued = await service.issue();
    oldSecret = issued.key;
    key = printed(await service.keys('rotate', issued.id, '--json')).key as string;
    revoked = await service.issueKey({ plan: 'pro', expiresInMs: 90 * 86_400_000, revoked: true });
    const store = new Store(service.url, key);
    for (const name of NAMES) await store.create(name, 1);
    for (const category of [INT64_MAX, -INT64_MAX - 1n, 9007199254740993n]) await store.create('x', category);
    for (const [at, actions] of [[], ['cancel'], ['approve'], ['approve', 'deliver']].entries()) {
      const { id } = await store.placed(BigInt(at + 1));
      for (const action of actions) await store.transition(id, action);
    }
    await store.send(keyed);
    highestPetId = (await store.create('deleted again', 1)).id;
    await store.remove(highestPetId);
    answersBefore = await answersOf(store);
    // The service runs, and owns the embedded database.
    first = await folder.exported(source.env);
    await service.stop();
  });

  it('has a header, the rows, and a trailer with counts and checksum', () => {
    const { header, rows, trailer } = readExport(first);
    const parsed = JSON.parse(header) as Header;
    const migration = expect.stringMatching(/^\w+\d{13}$/);
    expect(parsed).toMatchObject({ format: 'animal-store-export', version: 1, migration });
    const { rows: counts, sha256 } = JSON.parse(trailer) as Summary;
    for (const [name, count] of Object.entries(counts))
      expect(rows.filter((row) => tableOf(row) === name)).toHaveLength(count);
    expect(sha256).toBe(sha256Of([header, ...rows]));
    expect(counts).toMatchObject({ api_keys: expect.any(Number), idempotency_keys: 1, orders: 4 });
    expect(rows.join('\n')).toContain('"category_id":9223372036854775807');
    // The file has no secret, and only its owner may read it.
    expect(rows.join('\n')).not.toContain(key);
    expect(statSync(first).mode & 0o777).toBe(0o600);
  });

  it('keeps every row byte for byte', async () => {
    const imported = done(await runCommand(target.env, 'import', first, '--json'));
    const { rows, trailer } = readExport(first);
    const { migration, nextIds } = headerOf(first);
    expect(imported).toEqual({ file: first, migration, ...(JSON.parse(trailer) as object) });
    const second = await folder.exported(target.env);
    expect(readExport(second).rows).toEqual(rows);
    expect(headerOf(second).nextIds).toEqual(nextIds);
  });

  it('keeps keys, animals, orders, idempotency keys and sequences of ids', async () => {
    const service = await Service.start(target.env);
    const store = new Store(service.url, key);
    expect(await answersOf(store)).toEqual(answersBefore);
    expect(await answersOf(new Store(service.url, oldSecret))).toEqual(answersBefore);
    expect((await store.send(keyed)).headers['idempotent-replayed']).toBe('true');
    expect((await new Store(service.url, revoked).get('/v1/pets')).status).toBe(401);
    // The id of the deleted animal is not reused.
    expect((await store.create('next', 1)).id).toBe(highestPetId + 1n);
    expect(orderOf(await store.order(2n)).id).toBe(5n);
    expect((await store.transition(1n, 'cancel')).status).toBe(200);
  });
});

describe('an export', () => {
  const folder = new ExportFolder();
  const service = ownService(anyKind);

  it('includes every table and column', async () => {
    const { rows, trailer } = readExport(await folder.exported(service.env));
    const tables = await onDatabase<{ name: string; columns: string[] }>(
      service,
      `select table_name as name, array_agg(column_name::text order by column_name) as columns
        from information_schema.columns
        where table_schema = 'public' and table_name not in ('migrations', 'pet_counts') group by table_name`,
    );
    expect(tables.length).toBeGreaterThan(5);
    expect(Object.keys((JSON.parse(trailer) as Summary).rows).sort()).toEqual(
      tables.map(({ name }) => name).sort(),
    );
    const exported = rows.map((line) => JSON.parse(line) as { table: string; row: object });
    for (const { table, row } of exported)
      expect(Object.keys(row).sort()).toEqual(tables.find(({ name }) => name === table)!.columns);
  });

  it('is a consistent snapshot during concurrent changes', async () => {
    await runCommand(service.env, 'seed', '--pets', '30000');
    const store = new Store(service.url, await service.issueKey());
    const available = (await store.list('status=available&limit=100')).body as unknown as { id: bigint }[];
    const shop = { isOpen: true };
    let placed = 0;
    const shopping = (async () => {
      for (const { id } of available) if (shop.isOpen && (await store.order(id)).status === 201) placed += 1;
    })();
    const path = await folder.exported(service.env);
    shop.isOpen = false;
    await shopping;
    expect(placed).toBeGreaterThan(0);
    const rows = readExport(path).rows.map(
      (line) => JSON.parse(line) as { table: string; row: Record<string, unknown> },
    );
    const rowsOf = (name: string) => rows.filter(({ table }) => table === name).map(({ row }) => row);
    const reserving = rowsOf('pets').flatMap((pet) => pet.open_order_id ?? []);
    expect(reserving.sort()).toEqual(
      rowsOf('orders')
        .map(({ id }) => id)
        .sort(),
    );
    expect(rowsOf('pets')).toHaveLength(30_000);
  });

  it('reports progress on stderr and a summary on stdout', async () => {
    const path = folder.path();
    const { code, stdout, stderr } = await runCommand(service.env, 'export', path);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^(exporting [\d,]+ of [\d,]+ \(\d+%\)\n)+$/);
    expect(stdout).toContain(path);
    expect(stdout).toContain((JSON.parse(readExport(path).trailer) as { sha256: string }).sha256);
    expect(stdout).toMatch(/pets +│ +30,000/);
  });
});
