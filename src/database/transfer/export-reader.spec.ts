import { afterAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedInputError } from '../../common/errors/refused-input.js';
import { type ExportedTable, frameOfRow, headerLine, trailerLine } from './export-format.js';
import { checkExport, rowBatches } from './export-reader.js';

const COLUMNS = { id: 'bigint', name: 'text' };
const NEXT = 9223372036854775807n;
const TABLES: ExportedTable[] = [
  { name: 'a', columns: COLUMNS, key: ['id'], ids: { column: 'id', next: NEXT } },
  { name: 'b "quoted"', columns: COLUMNS, key: ['id'] },
  { name: 'c', columns: COLUMNS, key: ['id'] },
];
const folder = mkdtempSync(join(tmpdir(), 'animal-store-reader-'));
const path = join(folder, 'export.jsonl');

const rowLine = (table: string, json: string) => {
  const { before, after } = frameOfRow(table);
  return before + json + after;
};

/** A file as export writes it. */
function wholeFile(rows: [string, string][], changes: { counts?: object } = {}): Buffer {
  const lines = [headerLine({ migration: 'M1', tables: TABLES }, new Date(0))];
  lines.push(...rows.map(([table, json]) => rowLine(table, json)));
  const text = lines.map((line) => `${line}\n`).join('');
  const counts = Object.fromEntries(
    TABLES.map(({ name }) => [name, rows.filter(([table]) => table === name).length]),
  );
  const sha256 = createHash('sha256').update(text).digest('hex');
  return Buffer.from(`${text}${trailerLine({ rows: { ...counts, ...changes.counts }, sha256 })}\n`);
}

async function refusal(bytes: Buffer): Promise<string> {
  writeFileSync(path, bytes);
  try {
    await checkExport(path);
  } catch (error) {
    if (error instanceof RefusedInputError) return error.message;
    throw error;
  }
  return 'it was taken';
}

const ROWS: [string, string][] = [
  ['a', '{"id":1,"name":"x"}'],
  ['a', '{"id":2,"name":"{\\"rows\\":{}}"}'],
  ['c', '{"id":1,"name":"ポチ"}'],
];

afterAll(() => rmSync(folder, { recursive: true }));

describe('checkExport', () => {
  it('takes a whole file, exactly', async () => {
    writeFileSync(path, wholeFile(ROWS));
    const { header, trailer } = await checkExport(path);
    expect(header).toMatchObject({ migration: 'M1', tables: TABLES });
    expect(trailer.rows).toEqual({ a: 2, 'b "quoted"': 0, c: 1 });
  });

  it('refuses a file cut at any byte', async () => {
    const whole = wholeFile(ROWS);
    for (let end = 0; end < whole.length; end++) {
      expect([end, await refusal(whole.subarray(0, end))]).toEqual([
        end,
        expect.stringMatching(/is truncated|is no export/),
      ]);
    }
  });

  it('refuses a file with any one byte altered', async () => {
    const whole = wholeFile(ROWS);
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1;
      expect([at, await refusal(bytes)]).toEqual([
        at,
        expect.stringMatching(/was altered|is truncated|is no export|newer format/),
      ]);
    }
  });

  it('refuses what stands behind the end, and wrong counts', async () => {
    const whole = wholeFile(ROWS);
    expect(await refusal(Buffer.concat([whole, Buffer.from('\n')]))).toMatch(/behind line 5/);
    expect(await refusal(Buffer.concat([whole, whole]))).toMatch(/behind line 5/);
    expect(await refusal(wholeFile(ROWS, { counts: { a: 3 } }))).toMatch(/miscounts the rows of a/);
    expect(await refusal(wholeFile(ROWS, { counts: { d: 0 } }))).toMatch(/miscounts the rows of d/);
  });

  it('refuses tables out of their order, and unknown ones', async () => {
    expect(await refusal(wholeFile([ROWS[2]!, ROWS[0]!]))).toMatch(/line 3 is no row/);
    expect(await refusal(wholeFile([['d', '{}']]))).toMatch(/line 2 is no row/);
  });

  it('reads no endless line', async () => {
    expect(await refusal(Buffer.alloc(20 * 1024 * 1024, 'x'))).toMatch(/is no export/);
  });
});

describe('rowBatches', () => {
  it('gives every row of a file of many chunks as it stands there', async () => {
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
