import { afterAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedInputError } from '../common/errors/api-error.js';
import { type ExportedTable, frameOfRow, headerLine, trailerLine } from './export-format.js';
import { checkExport, rowBatches } from './export-reader.js';

const COLUMNS = { id: 'bigint', name: 'text' };
const NEXT = 9223372036854775807n;
const TABLES: ExportedTable[] = [
  { name: 'a', columns: COLUMNS, key: ['id'], ids: { column: 'id', next: NEXT } },
  { name: 'b "quoted"', columns: COLUMNS, key: ['id'] },
  { name: 'c', columns: COLUMNS, key: ['id'] },
];
const KEYS: ExportedTable = {
  name: 'api_keys',
  columns: { id: 'uuid', plan: 'text', per_minute: 'integer', per_day: 'integer' },
  key: ['id'],
};
const folder = mkdtempSync(join(tmpdir(), 'animal-store-reader-'));
const path = join(folder, 'export.jsonl');

const rowLine = (table: string, json: string) => {
  const { before, after } = frameOfRow(table);
  return before + json + after;
};

/** A file as export writes it. */
function wholeFile(
  rows: [string, string][],
  { counts: changed = {}, tables = TABLES }: { counts?: object; tables?: ExportedTable[] } = {},
): Buffer {
  const lines = [headerLine({ migration: 'M1', tables }, new Date(0))];
  lines.push(...rows.map(([table, json]) => rowLine(table, json)));
  const text = lines.map((line) => `${line}\n`).join('');
  const counts = Object.fromEntries(
    tables.map(({ name }) => [name, rows.filter(([table]) => table === name).length]),
  );
  const sha256 = createHash('sha256').update(text).digest('hex');
  return Buffer.from(`${text}${trailerLine({ rows: { ...counts, ...changed }, sha256 })}\n`);
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

const ROWS: [string, string][] = [
  ['a', '{"id":1,"name":"x"}'],
  ['a', '{"id":2,"name":"{\\"rows\\":{}}"}'],
  ['c', '{"id":1,"name":"ポチ"}'],
];

afterAll(() => rmSync(folder, { recursive: true }));

describe('checkExport', () => {
  it('accepts a complete file', async () => {
    writeFileSync(path, wholeFile(ROWS));
    const { header, trailer } = await checkExport(path);
    expect(header).toMatchObject({ migration: 'M1', tables: TABLES });
    expect(trailer.rows).toEqual({ a: 2, 'b "quoted"': 0, c: 1 });
  });

  it('refuses a file that is cut or altered at any byte', async () => {
    // The shortest export, because the test creates two files per byte.
    const tables = [{ name: 'a', columns: { id: 'bigint' }, key: ['id'] }];
    const whole = wholeFile([ROWS[0]!], { tables });
    for (let at = 0; at < whole.length; at++) {
      const cut = await refusal(whole.subarray(0, at));
      expect([at, cut]).toEqual([at, expect.stringMatching(/is truncated|is not an export/)]);
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1;
      const reasons = /was altered|is truncated|is not an export|newer format/;
      expect([at, await refusal(bytes)]).toEqual([at, expect.stringMatching(reasons)]);
    }
  });

  it('refuses lines after the trailer and wrong counts', async () => {
    const whole = wholeFile(ROWS);
    expect(await refusal(Buffer.concat([whole, Buffer.from('\n')]))).toMatch(/more after line 5/);
    expect(await refusal(Buffer.concat([whole, whole]))).toMatch(/more after line 5/);
    expect(await refusal(wholeFile(ROWS, { counts: { a: 3 } }))).toMatch(/wrong row count for a/);
    expect(await refusal(wholeFile(ROWS, { counts: { d: 0 } }))).toMatch(/wrong row count for d/);
  });

  it('refuses tables out of order and unknown tables', async () => {
    expect(await refusal(wholeFile([ROWS[2]!, ROWS[0]!]))).toMatch(/line 3 is not a row/);
    expect(await refusal(wholeFile([['d', '{}']]))).toMatch(/line 2 is not a row/);
  });

  it.each([
    ['{"id":9223372036854775807}', /line 2: a\.id is 9223372036854775807, which leaves no id/],
    ['{"id":9223372036854775808}', /line 2: a\.id is not an int64/],
    ['{"id":-9223372036854775809}', /line 2: a\.id is not an int64/],
    ['{"id":1.5}', /line 2: a\.id is not an int64/],
    ['{"id":"1"}', /line 2: a\.id is not an int64/],
    ['{"id":1,"id":2}', /line 2: a row of a is not a JSON object/],
    ['[1]', /line 2: a row of a is not a JSON object/],
    ['{"id":9223372036854775806}', /^accepted$/],
  ])('checks the int64s of the row %s', async (json, expected) => {
    expect(await refusal(wholeFile([['a', json]]))).toMatch(expected);
  });

  it.each([
    ['{"plan":"free","per_minute":null,"per_day":null}', /^accepted$/],
    ['{"plan":"enterprise","per_minute":1,"per_day":2147483647}', /^accepted$/],
    ['{"plan":"gold","per_minute":null,"per_day":null}', /api_keys\.plan is not one of free, pro, business/],
    ['{"plan":"toString","per_minute":null,"per_day":null}', /api_keys\.plan is not one of/],
    ['{"plan":null}', /api_keys\.plan is not one of/],
    ['{"plan":"free","per_minute":1,"per_day":1}', /are set for the plan free/],
    ['{"plan":"enterprise","per_minute":0,"per_day":1}', /are not integers from 1 to 2147483647/],
    ['{"plan":"enterprise","per_minute":1,"per_day":2147483648}', /are not integers from 1 to/],
  ])('checks the plan of the key %s', async (json, expected) => {
    expect(await refusal(wholeFile([['api_keys', json]], { tables: [KEYS] }))).toMatch(expected);
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

describe('rowBatches', () => {
  it('returns every row of a file of many chunks unchanged', async () => {
    const rows = Array.from({ length: 30_000 }, (_, at): [string, string] => [
      at < 20_001 ? 'a' : 'c',
      `{"id":${at},"name":"${'ポ'.repeat(at % 50)}"}`,
    ]);
    writeFileSync(path, wholeFile(rows));
    const { header } = await checkExport(path);
    const read: [string, string][] = [];
    for await (const batch of rowBatches(path, header.tables)) {
      expect(batch.rows.length).toBeLessThanOrEqual(2000);
      read.push(...batch.rows.map((json): [string, string] => [batch.table.name, json]));
    }
    expect(read).toEqual(rows);
  });
});
