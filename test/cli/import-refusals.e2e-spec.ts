import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { killCliAt, refused, runCommand, type CommandResult } from '../support/command-line.js';
import { anyKind, embedded, onDatabase, type Env, type TestDatabase } from '../support/databases.js';
import { done, ExportFolder, headerOf, readExport, tableOf } from '../support/export-file.js';
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

describe('import and export', () => {
  it('refuse a damaged file before they open a database', async () => {
    const { header, rows, trailer } = readExport(whole);
    const bytes = readFileSync(whole);
    const withBytes = (changed: Buffer) => {
      const path = folder.path();
      writeFileSync(path, changed);
      return path;
    };
    const damagedAt = (at: number) =>
      withBytes(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]));
    const files: [string, RegExp][] = [
      [folder.path(), /^Cannot read .*no such file/],
      [folder.file([]), /truncated/],
      [folder.file([header, ...rows]), /truncated/],
      [folder.file([header, ...rows, trailer, trailer]), /more after its last line/],
      [folder.file([header, ...rows.slice(1), trailer]), /checksum/],
      [folder.file([...rows, trailer]), /not an export/],
      [withBytes(bytes.subarray(0, -10)), /checksum/],
      [withBytes(bytes.subarray(0, -trailer.length - 10)), /checksum/],
      [damagedAt(header.length - 5), /checksum|not an export/],
      [damagedAt(header.length + 50), /checksum/],
      [damagedAt(bytes.length >> 1), /checksum/],
      [folder.sealed({ ...headerOf(whole), version: 2 }, rows), /not an export/],
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
    const changed = (from: string | RegExp, to: string) =>
      folder.sealed(header, rows.with(-1, rows.at(-1)!.replace(from, to)));
    const added = (table: string, row: object) =>
      folder.sealed(header, [`{"table":"${table}","row":${JSON.stringify(row)}}`, ...rows]);
    const repeat = {
      ...{ key_id: randomUUID(), idempotency_key: 'x', fingerprint: `\\x${'00'.repeat(32)}`, status: 201 },
      ...{ body: '{}', location: '/v1/pets/1', created_at: '2026-11-21T16:23:01Z' },
    };
    const files: [string, RegExp][] = [
      [
        folder.sealed({ ...header, migration: 'AddBreedToPets1999999999999' }, rows),
        /another schema \(AddBreed/,
      ],
      [added('breeds', { id: 1 }), /rows of breeds/],
      [changed(/"status":"\w+"/, '"status":"lost"'), /pets_status/],
      [changed(/"name":"[^"]+"/, '"name":""'), /pets_name/],
      [changed(/"name":"[^"]+"/, `"name":"${'x'.repeat(256)}"`), /pets_name/],
      [changed(/"category_id":\d+/, '"category_id":9223372036854775808'), /out of range/],
      [changed(/"name":"[^"]+",/, ''), /null value in column "name"/],
      [added('idempotency_keys', { ...repeat, idempotency_key: '' }), /idempotency_keys_key/],
      [added('idempotency_keys', { ...repeat, fingerprint: '\\x00' }), /idempotency_keys_fingerprint/],
      [added('idempotency_keys', { ...repeat, status: 500 }), /idempotency_keys_status/],
      [added('idempotency_keys', { ...repeat, location: '/v1/\r\nx: y' }), /idempotency_keys_location/],
    ];
    for (const [path, why] of files)
      expect(refused(await runCommand(service.env, 'import', path, '--json'))).toMatch(why);
    // No id would follow. All rows are in the table by then, and progress was reported.
    const last = await runCommand(service.env, 'import', changed(/"id":\d+/, `"id":${2n ** 63n - 1n}`));
    expect(last).toMatchObject({ code: 2, stderr: expect.stringMatching(/out of range\n$/) });
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

describe('an import', () => {
  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await anyKind.create();
  });

  it('leaves an empty database when it is killed, and can be repeated', async () => {
    const row = readExport(whole).rows.find((line) => tableOf(line) === 'pets')!;
    const pets = Array.from({ length: PETS }, (_, at) => row.replace(/"id":\d+/, `"id":${at + 1}`));
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

  it('continues the sequence of ids of deleted animals', async () => {
    await onDatabase(empty, 'delete from pets');
    done(await runCommand(empty.env, 'import', whole, '--json'));
    const after = await folder.exported(empty.env);
    expect(readExport(after).rows).toEqual(readExport(whole).rows);
    const [next] = await onDatabase<{ id: string }>(
      empty,
      `insert into pets (name, category_id, status) values ('x', 1, 'sold') returning id`,
    );
    expect(next!.id).toBe(String(PETS + 1));
  });
});
