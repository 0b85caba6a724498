import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { statSync } from 'node:fs';
import { call } from '../support/http/client.js';
import { runCli, runCommand } from '../support/command-line.js';
import { anyKind, databaseKinds, embedded, onDatabase, type TestDatabase } from '../support/databases.js';
import {
  done,
  ExportFolder,
  type Header,
  headerOf,
  readExport,
  sha256Of,
  tableOf,
} from '../support/export-file.js';
import { revokeKey } from '../support/keys.js';
import { Service } from '../support/service.js';
import { Store, orderOf } from '../support/store.js';

const ways = [
  { from: embedded, to: anyKind },
  { from: anyKind, to: embedded },
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

describe.each(ways.map((way) => ({ ...way, name: `${way.from.name} to ${way.to.name}` })))(
  'an export from $name',
  ({ from, to }) => {
    const folder = new ExportFolder();
    let source: TestDatabase;
    let target: TestDatabase;
    let first: string;
    let key: string;
    let secretBefore: string;
    let revoked: string;
    let petsBefore: string;
    let ordersBefore: string;
    let answerBefore: string;
    let highestPetId: bigint;

    const keyed = { headers: { 'idempotency-key': 'a repeat' }, body: '{"name":"once","categoryId":1}' };
    const lines = (path: string) => readExport(path).rows;

    beforeAll(async () => {
      [source, target] = await Promise.all([from.create(), to.create()]);
      const service = await Service.start(source.env);
      const issued = await service.issue();
      secretBefore = issued.key;
      key = (JSON.parse((await service.keys('rotate', issued.id, '--json')).stdout) as { key: string }).key;
      const gone = await service.issue({ plan: 'pro', expiresInMs: 90 * 86_400_000 });
      revoked = gone.key;
      await revokeKey(source, gone.id);
      const store = new Store(service.url, key);
      for (const name of NAMES) await store.create(name, 1, 'available');
      for (const category of [INT64_MAX, -INT64_MAX - 1n, 9007199254740993n]) {
        await store.send({ method: 'POST', path: '/v1/pets', body: `{"name":"x","categoryId":${category}}` });
      }
      const orders = [];
      for (const petId of [1n, 2n, 3n, 4n]) orders.push(await store.placed(petId));
      await store.act(orders[1]!.id, 'cancel');
      await store.act(orders[2]!.id, 'approve');
      await store.act(orders[3]!.id, 'approve');
      await store.act(orders[3]!.id, 'deliver');
      answerBefore = (await store.send({ method: 'POST', path: '/v1/pets', ...keyed })).text;
      highestPetId = (await store.create('deleted again', 1, 'available')).id;
      await store.remove(highestPetId);
      petsBefore = (await store.list('limit=100')).text;
      ordersBefore = (await store.send({ path: '/v1/store/orders' })).text;
      // The service runs, and owns the embedded database.
      first = await folder.exported(source.env);
      await service.stop();
    });
    afterAll(async () => {
      await Service.killAll();
      await Promise.all([source.drop(), target.drop(), folder.remove()]);
    });

    it('has a header, the rows, and a trailer with counts and checksum', () => {
      const { header, rows, trailer } = readExport(first);
      const parsed = JSON.parse(header) as Header;
      expect(parsed).toMatchObject({
        format: 'animal-store-export',
        version: 1,
        migration: expect.stringMatching(/^\w+\d{13}$/),
      });
      const order = parsed.tables.map(({ name }) => name);
      const counts = Object.fromEntries(
        order.map((name) => [name, rows.filter((row) => tableOf(row) === name).length]),
      );
      expect(JSON.parse(trailer)).toEqual({ rows: counts, sha256: sha256Of([header, ...rows]) });
      expect(counts).toMatchObject({ api_keys: expect.any(Number), idempotency_keys: 1, orders: 4 });
      expect(rows.map(tableOf)).toEqual(rows.map(tableOf).sort());
      expect(rows.join('\n')).toContain('"category_id":9223372036854775807');
      // The file has no secret, and only its owner may read it.
      expect(readExport(first).rows.join('\n')).not.toContain(key);
      expect(statSync(first).mode & 0o777).toBe(0o600);
    });

    it('keeps every row byte for byte', async () => {
      const imported = done(await runCli(target.env, 'import', first, '--json'));
      expect(imported).toEqual({
        file: first,
        migration: headerOf(first).migration,
        ...(JSON.parse(readExport(first).trailer) as object),
      });
      const second = await folder.exported(target.env);
      expect(lines(second)).toEqual(lines(first));
      expect(headerOf(second).tables).toEqual(headerOf(first).tables);
    });

    it('keeps keys, animals, orders, idempotency keys and sequences of ids', async () => {
      const service = await Service.start(target.env);
      const store = new Store(service.url, key);
      expect((await store.list('limit=100')).text).toBe(petsBefore);
      expect((await new Store(service.url, secretBefore).list('limit=100')).text).toBe(petsBefore);
      expect((await call(service.url, { path: '/v1/pets', key: revoked })).status).toBe(401);
      expect((await store.send({ path: '/v1/store/orders' })).text).toBe(ordersBefore);
      const repeat = await store.send({ method: 'POST', path: '/v1/pets', ...keyed });
      expect(repeat.text).toBe(answerBefore);
      expect(repeat.headers['idempotent-replayed']).toBe('true');
      // The id of the deleted animal is not reused.
      expect((await store.create('next', 1, 'available')).id).toBe(highestPetId + 1n);
      expect(orderOf(await store.order(2n)).id).toBe(5n);
      expect((await store.act(1n, 'cancel')).status).toBe(200);
      await service.issueKey();
      await service.stop();
    });
  },
);

describe.each(databaseKinds)('an export on $name', (kind) => {
  const folder = new ExportFolder();
  let database: TestDatabase;
  let service: Service;
  beforeAll(async () => {
    database = await kind.create();
    service = await Service.start(database.env);
  });
  afterAll(async () => {
    await Service.killAll();
    await Promise.all([database.drop(), folder.remove()]);
  });

  it('includes every table and column, also unknown ones', async () => {
    await onDatabase(
      database,
      `create table "a ""later"" one" (code text primary key, "Moment" timestamptz)`,
    );
    await onDatabase(database, `insert into "a ""later"" one" values ('x', '2026-11-20 10:00:00.123456+02')`);
    const path = await folder.exported(database.env);
    const columns = await onDatabase<{ name: string }>(
      database,
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and table_name not in ('migrations', 'pet_counts')
          and table_name <> all (select inhrelid::regclass::text from pg_inherits)`,
    );
    expect(columns.length).toBeGreaterThan(30);
    const exported = headerOf(path).tables.flatMap((table) =>
      Object.keys(table.columns).map((column) => `${table.name}.${column}`),
    );
    expect(exported.sort()).toEqual(columns.map(({ name }) => name).sort());
    expect(readExport(path).rows).toContain(
      '{"table":"a \\"later\\" one","row":{"code":"x","Moment":"2026-11-20T08:00:00.123456+00:00"}}',
    );
    await onDatabase(database, `drop table "a ""later"" one"`);
  });

  it('is a consistent snapshot during concurrent changes', async () => {
    done(await runCommand(database.env, 'seed', '--pets', '30000', '--json'));
    const store = new Store(service.url, await service.issueKey());
    const available = (await store.list('status=available&limit=100')).body as unknown as { id: bigint }[];
    const shop = { isOpen: true };
    let placed = 0;
    const shopping = (async () => {
      for (const { id } of available) {
        if (!shop.isOpen) break;
        if ((await store.order(id)).status === 201) placed++;
      }
    })();
    const path = await folder.exported(database.env);
    shop.isOpen = false;
    await shopping;
    expect(placed).toBeGreaterThan(0);
    const rows = readExport(path).rows.map(
      (line) => JSON.parse(line) as { table: string; row: Record<string, unknown> },
    );
    const orders = rows.filter(({ table }) => table === 'orders').map(({ row }) => row.id);
    const reserved = rows.filter(({ table, row }) => table === 'pets' && row.open_order_id !== null);
    expect(reserved.map(({ row }) => row.open_order_id).sort()).toEqual(orders.sort());
    expect(rows.filter(({ table }) => table === 'pets')).toHaveLength(30_000);
  });

  it('reports progress on stderr and a summary on stdout', async () => {
    const path = folder.path();
    const { code, stdout, stderr } = await runCli(database.env, 'export', path);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^(exporting [\d,]+ of [\d,]+ \(\d+%\)\n)+$/);
    expect(stdout).toContain(path);
    expect(stdout).toContain((JSON.parse(readExport(path).trailer) as { sha256: string }).sha256);
    expect(stdout).toMatch(/pets +│ +30,000/);
  });
});
