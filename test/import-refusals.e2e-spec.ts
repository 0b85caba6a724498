import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { databaseKinds, onDatabase, type TestDatabase } from './support/databases.js';
import { done, ExportFolder, headerOf, readExport, refused } from './support/export-file.js';
import { eachInTurn } from './support/keys.js';
import { killCliAt, runCli, runKeys, Service } from './support/service.js';

const [embedded] = databaseKinds;
const folder = new ExportFolder();
/** An export of a key and some animals. */
let whole: string;

beforeAll(async () => {
  const source = await embedded!.create();
  await runKeys(source.env, 'create', '--name', 'kept', '--plan', 'free');
  await runCli(source.env, 'seed', '--pets', '500', '--seed', '1');
  whole = await folder.exported(source.env);
  await source.drop();
}, 60_000);
afterAll(async () => {
  await Service.killAll();
  await folder.remove();
});

const expectEmpty = async (database: TestDatabase) => {
  const { trailer } = readExport(await folder.exported(database.env));
  expect(new Set(Object.values((JSON.parse(trailer) as { rows: object }).rows))).toEqual(new Set([0]));
};

// What is wrong with a file: src/database/transfer/export-reader.spec.ts tries every byte.
describe('an import, whatever the database,', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await embedded!.create();
  });
  afterAll(() => database.drop());

  const importing = (path: string) => runCli(database.env, 'import', path, '--json');

  it('refuses a file that is no whole export, before it opens or makes anything', async () => {
    const { header, rows, trailer } = readExport(whole);
    const files: [string, RegExp][] = [
      [folder.path(), /^Cannot read .*no such file/],
      [folder.file([]), /is no export/],
      [folder.file([header, ...rows]), /is truncated/],
      [folder.file([header, ...rows.slice(1), trailer]), /was altered/],
      [folder.sealed({ ...headerOf(whole), version: 2 }, rows), /newer format/],
    ];
    const answers = await eachInTurn(files, async ([path, why]) => ({
      path,
      why,
      line: refused(await importing(path)),
    }));
    for (const { path, why, line } of answers) {
      expect(line).toContain(path);
      expect(line).toMatch(why);
    }
    await eachInTurn([['import'], ['import', whole, whole], ['export']], async (args) =>
      refused(await runCli(database.env, ...args)),
    );
    expect(existsSync(database.env.DATA_DIR!)).toBe(false);
  }, 60_000);

  it('refuses what its schema does not have, checksum or not', async () => {
    const { rows } = readExport(whole);
    const header = headerOf(whole);
    const withBreed = header.tables.map((table) =>
      table.name === 'pets' ? { ...table, columns: { ...table.columns, breed: 'text' } } : table,
    );
    const changed = (from: string | RegExp, to: string) =>
      folder.sealed(header, rows.with(-1, rows.at(-1)!.replace(from, to)));
    const newerSchema = folder.sealed({ ...header, migration: 'AddBreedToPets1999999999999' }, rows);
    expect(refused(await importing(newerSchema))).toMatch(/newer schema \(AddBreedToPets1999999999999\)/);
    const otherColumns = folder.sealed({ ...header, tables: withBreed }, rows);
    expect(refused(await importing(otherColumns))).toMatch(/columns of pets differ/);
    const fewerTables = folder.sealed({ ...header, tables: header.tables.slice(0, -1) }, rows);
    expect(refused(await importing(fewerTables))).toMatch(/usage_days/);
    const badStatus = changed(/"status":"\w+"/, '"status":"lost"');
    expect(refused(await importing(badStatus))).toMatch(/pets_status/);
    // The database would take it, and keep less than the file says.
    const extraField = changed('"open_order_id":null', '"open_order_id":null,"breed":"pug"');
    const { code, stderr, stdout } = await importing(extraField);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/nothing was imported/);
    await expectEmpty(database);
  }, 120_000);

  it('refuses a database that a service has started on: it has its demo key', async () => {
    const used = await embedded!.create();
    await (await Service.start(used.env)).stop();
    expect(refused(await runCli(used.env, 'import', whole))).toMatch(/not empty \(api_keys has rows\)/);
    await used.drop();
  }, 60_000);

  it('an export writes over no file', async () => {
    const before = readFileSync(whole);
    expect(refused(await runCli(database.env, 'export', whole))).toMatch(/exists already/);
    expect(refused(await runCli(database.env, 'export', `${whole}.folder/file`))).toMatch(
      /no such file or folder/,
    );
    expect(readFileSync(whole)).toEqual(before);
  }, 60_000);
});

describe.each(databaseKinds)('an import on $name', (kind) => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await kind.create();
  });
  afterAll(() => empty.drop());

  it('takes a file of an older release, and migrates what is in it', async () => {
    const header = headerOf(whole);
    const older = {
      ...header,
      migration: 'AddKeyRotation1795305600000',
      tables: header.tables
        .filter(({ name }) => name !== 'orders' && name !== 'idempotency_keys')
        .map((table) => ({
          ...table,
          columns: Object.fromEntries(
            Object.entries(table.columns).filter(([column]) => column !== 'open_order_id'),
          ),
        })),
    };
    const rows = readExport(whole).rows.map((row) => row.replace(',"open_order_id":null', ''));
    const database = await kind.create();
    done(await runCli(database.env, 'import', folder.sealed(older, rows), '--json'));
    const after = await folder.exported(database.env);
    expect(readExport(after).rows).toEqual(readExport(whole).rows);
    expect(headerOf(after)).toMatchObject({ migration: header.migration, tables: header.tables });
    await database.drop();
  }, 60_000);

  it('killed half way leaves an empty database, which takes the file the next time', async () => {
    const pets = Array.from(
      { length: 20_000 },
      (_, at) =>
        `{"table":"pets","row":{"id":${at + 1},"name":"pet","category_id":1,"status":"sold","open_order_id":null}}`,
    );
    const large = folder.sealed(headerOf(whole), pets);
    expect(await killCliAt(empty.env, /importing .*\(50%\)/, 'import', large)).toBe('SIGKILL');
    await expectEmpty(empty);
    const imported = done(await runCli(empty.env, 'import', large, '--json'));
    expect(imported.rows.pets).toBe(20_000);
    expect(readExport(await folder.exported(empty.env)).rows).toEqual(pets);
  }, 120_000);

  it('refuses a database that is not empty, and leaves it as it is', async () => {
    expect(refused(await runCli(empty.env, 'import', whole))).toMatch(/not empty \(pets has rows\)/);
    expect(readExport(await folder.exported(empty.env)).rows).toHaveLength(20_000);
  }, 60_000);

  it('gives no id again, though the animals that had them are gone', async () => {
    // NODE_ENV, so that no demo key is issued.
    const service = await Service.start({ ...empty.env, NODE_ENV: 'production' });

    await onDatabase(empty, 'delete from pets');
    done(await runCli(empty.env, 'import', whole, '--json'));
    const [next] = await onDatabase<{ id: string }>(
      empty,
      `insert into pets (name, category_id, status) values ('x', 1, 'sold') returning id`,
    );
    expect(next!.id).toBe('20001');
    await service.stop();
  }, 60_000);
});
