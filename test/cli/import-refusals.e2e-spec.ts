import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { refused, runCommand } from '../support/command-line.js';
import { embedded, onDatabase, type Env } from '../support/databases.js';
import { done, ExportFolder, headerOf, readExport } from '../support/export-file.js';
import { ownService } from '../support/service.js';

const folder = new ExportFolder();
/** It owns its database, so that commands need not open it. */
const service = ownService(embedded);
/** An export of a key and some animals. */
let whole: string;

beforeAll(async () => {
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
    const damaged = folder.path();
    writeFileSync(damaged, bytes.fill('x', bytes.length >> 1, (bytes.length >> 1) + 1));
    const files: [string, RegExp][] = [
      [folder.path(), /^Cannot read .*no such file/],
      [folder.file([header, ...rows]), /truncated/],
      [folder.file([header, ...rows, trailer, trailer]), /more after its last line/],
      [folder.file([header, ...rows.slice(1), trailer]), /checksum/],
      [folder.file([...rows, trailer]), /not an export/],
      [damaged, /checksum/],
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
    const files: [string, RegExp][] = [
      [
        folder.sealed({ ...header, migration: 'AddBreedToPets1999999999999' }, rows),
        /another schema \(AddBreed/,
      ],
      [folder.sealed(header, ['{"table":"breeds","row":{"id":1}}', ...rows]), /rows of breeds/],
      [changed(/"status":"\w+"/, '"status":"lost"'), /pets_status/],
      [changed(/"name":"[^"]+"/, '"name":""'), /pets_name/],
      [changed(/"category_id":\d+/, '"category_id":9223372036854775808'), /out of range/],
      [changed(/"name":"[^"]+",/, ''), /null value in column "name"/],
    ];
    for (const [path, why] of files)
      expect(refused(await runCommand(service.env, 'import', path, '--json'))).toMatch(why);
    // No id would follow. All rows are in the table by then, and progress was reported.
    const last = await runCommand(service.env, 'import', changed(/"id":\d+/, `"id":${2n ** 63n - 1n}`));
    expect(last).toMatchObject({ code: 2, stderr: expect.stringMatching(/out of range\n$/) });
    await expectEmpty(service);
  });

  it('never overwrite a file', async () => {
    const before = readFileSync(whole);
    const refusedPath = async (path: string) => refused(await runCommand(service.env, 'export', path));
    expect(await refusedPath(whole)).toMatch(/file already exists/);
    expect(await refusedPath(`${whole}.folder/file`)).toMatch(/no such file or directory/);
    expect(readFileSync(whole)).toEqual(before);
  });

  // The import into an empty database is in export-import.e2e-spec.ts.
  it('refuse a database with rows, and leave it unchanged', async () => {
    done(await runCommand(service.env, 'import', whole, '--json'));
    expect(refused(await runCommand(service.env, 'import', whole))).toMatch(/not empty \(\w+ has rows\)/);
    expect(readExport(await folder.exported(service.env)).rows).toEqual(readExport(whole).rows);
  });
});
