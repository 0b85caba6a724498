import { afterAll, describe, expect, it, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import { type ExportedTable, frameOfRow, headerLine, trailerLine } from './export-format.js';
import { checkExport, readExport } from './export-reader.js';

type Rows = [table: string, json: string][];

const COLUMNS = { id: 'bigint', name: 'text', day: 'date', at: 'timestamp with time zone' };
const NEXT = 9223372036854775807n;
const KEYS = { id: 'uuid', plan: 'text', per_minute: 'integer', per_day: 'integer', secret_hash: 'bytea' };
const TABLES: ExportedTable[] = [
  { name: 'a', columns: COLUMNS, key: ['id'], ids: { column: 'id', next: NEXT } },
  { name: 'b "quoted"', columns: COLUMNS, key: ['id'] },
  { name: 'c', columns: COLUMNS, key: ['id'] },
  { name: 'api_keys', columns: KEYS, key: ['id'] },
];
const OTHER_TABLES: ExportedTable[] = [
  { name: 'usage_days', columns: { admitted: 'bigint', refused: 'bigint' }, key: ['day'] },
  {
    name: 'idempotency_keys',
    columns: { fingerprint: 'bytea', status: 'integer', location: 'text' },
    key: ['idempotency_key'],
  },
];
const folder = mkdtempSync(join(tmpdir(), 'animal-store-reader-'));
const path = join(folder, 'export.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

/** A file as export writes it. */
function wholeFile(rows: Rows, changedCounts: object = {}, tables = TABLES): Buffer {
  const counts = Object.fromEntries(
    tables.map(({ name }) => [name, rows.filter(([table]) => table === name).length]),
  );
  const lines = rows.map(([table, json]) => {
    const { before, after } = frameOfRow(table);
    return before + json + after;
  });
  const text = headerLine({ migration: 'M1', tables }) + lines.join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return Buffer.from(text + trailerLine({ rows: { ...counts, ...changedCounts }, sha256 }));
}

async function refusal(bytes: Buffer): Promise<string> {
  writeFileSync(path, bytes);
  try {
    await checkExport(path);
  } catch (error) {
    if (error instanceof RefusedInputError) return error.message;
    throw error;
  }
  return 'accepted';
}

const ROWS: Rows = [
  ['a', '{"id":1,"name":"x"}'],
  ['a', '{"id":2,"name":"{\\"rows\\":{}}"}'],
  ['c', '{"id":1,"name":"ポチ"}'],
];

describe('checkExport', () => {
  it('accepts a complete file', async () => {
    writeFileSync(path, wholeFile(ROWS));
    const { header, trailer } = await checkExport(path);
    expect(header).toMatchObject({ migration: 'M1', tables: TABLES });
    expect(trailer.rows).toEqual({ a: 2, 'b "quoted"': 0, c: 1, api_keys: 0 });
  });

  it('refuses a file that is cut or altered at any byte', async () => {
    // The shortest export, because the test creates two files per byte.
    const whole = wholeFile([ROWS[0]!], {}, [{ name: 'a', columns: { id: 'bigint' }, key: ['id'] }]);
    for (let at = 0; at < whole.length; at++) {
      const cut = await refusal(whole.subarray(0, at));
      expect([at, cut]).toEqual([at, expect.stringMatching(/is truncated|is not an export/)]);
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1;
      const reasons = /was altered|is truncated|is not an export|newer format/;
      expect([at, await refusal(bytes)]).toEqual([at, expect.stringMatching(reasons)]);
    }
  });

  it('refuses lines after the trailer, wrong counts and unknown tables', async () => {
    const whole = wholeFile(ROWS);
    expect(await refusal(Buffer.concat([whole, Buffer.from('x')]))).toMatch(/more after line 5/);
    expect(await refusal(Buffer.concat([whole, whole]))).toMatch(/more after line 5/);
    expect(await refusal(wholeFile(ROWS, { a: 3 }))).toMatch(/wrong row counts/);
    expect(await refusal(wholeFile(ROWS, { d: 0 }))).toMatch(/wrong row counts/);
    expect(await refusal(wholeFile([['d', '{}']]))).toMatch(/line 2 is not a row/);
    expect(await refusal(wholeFile([], {}, [...TABLES, ...TABLES]))).toMatch(/is not an export/);
  });

  it.each([
    ['a', '{"id":9223372036854775806,"at":"2026-11-20T08:00:00.123456+00:00","day":null}', /^accepted$/],
    ['a', '{"id":9223372036854775807}', /line 2: a\.id leaves no id/],
    ['a', '{"id":9223372036854775808}', /line 2: a\.id is not an int64/],
    ['a', '{"id":-9223372036854775809}', /line 2: a\.id is not an int64/],
    ['a', '{"id":1.5}', /line 2: a\.id is not an int64/],
    ['a', '{"id":"1"}', /line 2: a\.id is not an int64/],
    ['a', '{"id":1,"id":2}', /line 2: a is not a JSON object/],
    ['a', '[1]', /line 2: a is not a JSON object/],
    ['a', '{"id":1,"at":"infinity"}', /a\.at is not a time/],
    ['a', '{"id":1,"at":"12026-11-20T08:00:00+00:00"}', /a\.at is not a time/],
    ['a', '{"id":1,"day":"infinity"}', /a\.day is not a day/],
    ['api_keys', '{"plan":"free","per_minute":null,"per_day":null}', /^accepted$/],
    ['api_keys', '{"plan":"enterprise","per_minute":1,"per_day":2147483647}', /^accepted$/],
    ['api_keys', '{"plan":"gold","per_minute":null}', /api_keys\.plan is not one of free, pro, business/],
    ['api_keys', '{"plan":"toString"}', /api_keys\.plan is not one of/],
    [
      'api_keys',
      '{"plan":"enterprise","per_minute":0,"per_day":1}',
      /api_keys\.per_minute is not at least 1/,
    ],
    ['api_keys', '{"plan":"free","secret_hash":"\\\\x00"}', /api_keys\.secret_hash is not a SHA-256/],
    ['usage_days', '{"admitted":0,"refused":9007199254740991}', /^accepted$/],
    ['usage_days', '{"admitted":-1,"refused":0}', /usage_days\.admitted is negative/],
    ['usage_days', '{"admitted":0,"refused":9007199254740992}', /usage_days\.refused is too large/],
    ['idempotency_keys', '{"status":201,"location":"/v1/pets/1"}', /^accepted$/],
    ['idempotency_keys', '{"status":200,"location":null}', /^accepted$/],
    ['idempotency_keys', '{"status":101}', /idempotency_keys\.status is not a stored status/],
    ['idempotency_keys', '{"status":201,"location":"/\\r\\n"}', /idempotency_keys\.location is not a URL/],
    ['idempotency_keys', '{"fingerprint":"\\\\x00"}', /idempotency_keys\.fingerprint is not a SHA-256/],
  ])('checks the values of a row: %s %s', async (table, json, expected) => {
    expect(await refusal(wholeFile([[table, json]], {}, [...TABLES, ...OTHER_TABLES]))).toMatch(expected);
  });

  it('reports damage before an invalid row, and the first of several invalid rows', async () => {
    const bytes = wholeFile([
      ['a', '{"id":1.5}'],
      ['a', '{"id":"2"}'],
    ]);
    expect(await refusal(bytes)).toMatch(/line 2: /);
    bytes[bytes.indexOf('1.5')]! ^= 1;
    expect(await refusal(bytes)).toMatch(/was altered: its content does not match the checksum/);
  });

  it('refuses what is not a regular file, without waiting for a writer of a FIFO', async () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    for (const path of [fifo, folder, '/dev/null']) {
      const refused = new RefusedInputError(
        `Cannot read ${path}: it is not a regular file, and an import reads its file twice`,
      );
      await expect(checkExport(path)).rejects.toEqual(refused);
    }
  });

  it('refuses an endless line', async () => {
    expect(await refusal(Buffer.alloc(20 * 1024 * 1024, 'x'))).toMatch(/is not an export/);
  });
});

test('readExport returns every row of a file of many chunks unchanged', async () => {
  const rows = Array.from({ length: 30_000 }, (_, at): Rows[number] => [
    at < 20_001 ? 'a' : 'c',
    `{"id":${at},"name":"${'ポ\u2028'.repeat(at % 50)}"}`,
  ]);
  writeFileSync(path, wholeFile(rows));
  const read: Rows = [];
  await readExport(path, (batch) => {
    expect(batch.rows.length).toBeLessThanOrEqual(2000);
    expect(batch.firstLine).toBe(read.length + 2);
    read.push(...batch.rows.map((json): Rows[number] => [batch.table.name, json]));
  });
  expect(read).toEqual(rows);
});
