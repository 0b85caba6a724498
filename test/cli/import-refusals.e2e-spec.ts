import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { killCliAt, refused, runCommand, type CommandResult } from '../support/command-line.js';
import { databaseKinds, embedded, onDatabase, type Env, type TestDatabase } from '../support/databases.js';
import { done, ExportFolder, headerOf, readExport } from '../support/export-file.js';
import { ownService, Service } from '../support/service.js';

/** Two batches of an import. */
const PETS = 4_000;
const folder = new ExportFolder();
/** It owns its database, so that commands need not open it. */
const service = ownService(embedded);
/** The result of an import into its database while it had only the demo key. */
let refusedForDemoKey: CommandResult;
/** An export of a key and some animals. */
let whole: string;

beforeAll(async () => {
  const demoKey = await folder.exported(service.env);
  refusedForDemoKey = await runCommand(service.env, 'import', demoKey);
  await runCommand(service.env, 'seed', '--pets', '500', '--seed', '1');
  whole = await folder.exported(service.env);
  await onDatabase(service, 'delete from pets');
  await onDatabase(service, 'truncate api_keys, key_events cascade');
});

const expectEmpty = async ({ env }: { env: Env }) => {
  const { trailer } = readExport(await folder.exported(env));
  expect(new Set(Object.values((JSON.parse(trailer) as { rows: object }).rows))).toEqual(new Set([0]));
};

// src/commands/transfer/export-reader.spec.ts tries every byte and the rules of rows.
describe('import and export', () => {
  it('refuse an incomplete or invalid file before they open a database', async () => {
    const { header, rows, trailer } = readExport(whole);
    const files: [string, RegExp][] = [
      [folder.path(), /^Cannot read .*no such file/],
      [folder.file([header, ...rows.slice(1), trailer]), /was altered/],
      [folder.sealed({ ...headerOf(whole), version: 2 }, rows), /newer format/],
    ];
    const unopened = await embedded.createUnmigrated();
    for (const [path, why] of files) {
      const line = refused(await runCommand(unopened.env, 'import', path, '--json'));
      expect(line).toContain(path);
      expect(line).toMatch(why);
    }
    for (const misused of [['import'], ['import', whole, whole], ['export']])
      refused(await runCommand(unopened.env, ...misused));
    expect(existsSync(unopened.env.DATA_DIR!)).toBe(false);
  });

  it('refuse data outside the schema, even with a valid checksum', async () => {
    const { rows } = readExport(whole);
    const header = headerOf(whole);
    const withBreed = header.tables.map((table) =>
      table.name === 'pets' ? { ...table, columns: { ...table.columns, breed: 'text' } } : table,
    );
    const changed = (from: string | RegExp, to: string) =>
      folder.sealed(header, rows.with(-1, rows.at(-1)!.replace(from, to)));
    const withoutUsage = header.tables.filter(({ name }) => name !== 'usage_days');
    const files: [string, RegExp][] = [
      [
        folder.sealed({ ...header, migration: 'AddBreedToPets1999999999999' }, rows),
        /newer schema \(AddBreedToPets19{12}\)/,
      ],
      [folder.sealed({ ...header, tables: withBreed }, rows), /columns of pets differ/],
      [folder.sealed({ ...header, tables: withoutUsage }, rows), /usage_days/],
      [changed(/"status":"\w+"/, '"status":"lost"'), /pets_status/],
    ];
    for (const [path, why] of files)
      expect(refused(await runCommand(service.env, 'import', path, '--json'))).toMatch(why);
    // The database would accept the row without this field.
    const extraField = changed('"open_order_id":null', '"open_order_id":null,"breed":"pug"');
    const extra = await runCommand(service.env, 'import', extraField, '--json');
    expect(extra).toMatchObject({ code: 1, stdout: '' });
    expect(extra.stderr.trimEnd().split('\n').at(-1)).toMatch(/nothing was imported/);
    await expectEmpty(service);
  });

  it('refuse a database with a demo key', () => {
    expect(refused(refusedForDemoKey)).toMatch(/not empty \(api_keys has rows\)/);
  });

  it('never overwrite a file', async () => {
    const before = readFileSync(whole);
    const refusedPath = async (path: string) => refused(await runCommand(service.env, 'export', path));
    expect(await refusedPath(whole)).toMatch(/file already exists/);
    expect(await refusedPath(`${whole}.folder/file`)).toMatch(/no such file or directory/);
    expect(readFileSync(whole)).toEqual(before);
  });
});

describe.each(databaseKinds)('an import on $name', (kind) => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await kind.create();
  });

  it('leaves an empty database when it is killed, and can be repeated', async () => {
    const pets = Array.from(
      { length: PETS },
      (_, at) =>
        `{"table":"pets","row":{"id":${at + 1},"name":"pet","category_id":1,"status":"sold","open_order_id":null}}`,
    );
    const large = folder.sealed(headerOf(whole), pets);
    expect(await killCliAt(empty.env, /importing .*\(50%\)/, 'import', large)).toBe('SIGKILL');
    // From here on a service owns the database. NODE_ENV prevents a demo key.
    await Service.start({ ...empty.env, NODE_ENV: 'production' });
    await expectEmpty(empty);
    const imported = done(await runCommand(empty.env, 'import', large, '--json'));
    expect(imported.rows.pets).toBe(PETS);
    expect(readExport(await folder.exported(empty.env)).rows).toEqual(pets);
  });

  it('refuses a database with rows, and leaves it unchanged', async () => {
    expect(refused(await runCommand(empty.env, 'import', whole))).toMatch(/not empty \(pets has rows\)/);
    expect(readExport(await folder.exported(empty.env)).rows).toHaveLength(PETS);
  });

  it('accepts a file of an older release, migrates its rows, and continues the sequence of ids of deleted animals', async () => {
    const header = headerOf(whole);
    const older = {
      ...header,
      migration: 'AddKeyRotation1795305600000',
      tables: header.tables
        .filter(({ name }) => ['api_keys', 'key_events', 'pets', 'usage_days'].includes(name))
        .map((table) => ({
          ...table,
          columns: Object.fromEntries(
            Object.entries(table.columns).filter(([column]) => column !== 'open_order_id'),
          ),
        })),
    };
    const rows = readExport(whole).rows.map((row) => row.replace(',"open_order_id":null', ''));
    await onDatabase(empty, 'delete from pets');
    done(await runCommand(empty.env, 'import', folder.sealed(older, rows), '--json'));
    const after = await folder.exported(empty.env);
    expect(readExport(after).rows).toEqual(readExport(whole).rows);
    const tables = header.tables.map((table) =>
      table.name === 'pets' ? { ...table, ids: { column: 'id', next: PETS + 1 } } : table,
    );
    expect(headerOf(after)).toMatchObject({ migration: header.migration, tables });
    const [next] = await onDatabase<{ id: string }>(
      empty,
      `insert into pets (name, category_id, status) values ('x', 1, 'sold') returning id`,
    );
    expect(next!.id).toBe(String(PETS + 1));
  });
});
