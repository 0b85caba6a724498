import { createHash } from 'node:crypto';
import {
  type ExportedTable,
  type ExportHeader,
  type ExportTrailer,
  frameOfRow,
  parseHeader,
  parseTrailer,
  type RowCounts,
} from './export-format.js';
import { type FileLine, fileLines } from './file-lines.js';
import { altered, cannotRead, notAnExport, truncated, unknownFormat } from './transfer.errors.js';

const ROWS_A_BATCH = 2_000;

/** An export whose every line and checksum were found right. */
export interface CheckedExport {
  path: string;
  header: ExportHeader;
  /** As it stands in the file. */
  headerLine: Buffer;
  trailer: ExportTrailer;
}

/** Reads a file from end to end before anybody believes it. Raises RefusedInputError with what is wrong with it. */
export async function checkExport(path: string): Promise<CheckedExport> {
  try {
    return await check(path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw cannotRead(path, error);
    throw error;
  }
}

async function check(path: string): Promise<CheckedExport> {
  const lines = fileLines(path);
  const first = (await lines.next()).value as FileLine | undefined;
  const header = first && parseHeader(first.bytes);
  if (!header) throw notAnExport(path);
  if (!header.isKnownVersion) throw unknownFormat(path);
  const hash = createHash('sha256').update(first.bytes).update('\n');
  const rows = new RowReader(header.tables);
  let number = 1;
  for await (const { bytes, isEnded } of lines) {
    number++;
    const trailer = isEnded ? parseTrailer(bytes) : undefined;
    if (trailer) {
      if (!(await lines.next()).done) throw altered(path, `something stands behind line ${number}, the last`);
      refuseDifference(path, trailer, hash.digest('hex'), rows.counts);
      return { path, header, headerLine: first.bytes, trailer };
    }
    if (!isEnded) throw truncated(path);
    if (!rows.read(bytes)) throw altered(path, `line ${number} is no row of the table whose turn it is`);
    hash.update(bytes).update('\n');
  }
  throw truncated(path);
}

function refuseDifference(path: string, trailer: ExportTrailer, sha256: string, counts: RowCounts): void {
  if (trailer.sha256 !== sha256)
    throw altered(path, 'its content does not match the checksum in its last line');
  const names = new Set([...Object.keys(counts), ...Object.keys(trailer.rows)]);
  for (const name of names) {
    if (counts[name] !== trailer.rows[name])
      throw altered(path, `its last line miscounts the rows of ${name}`);
  }
}

/** The rows of a checked export, a few at a time, as PostgreSQL wrote them. */
export async function* rowBatches(
  path: string,
  tables: readonly ExportedTable[],
): AsyncGenerator<{ table: ExportedTable; rows: string[] }> {
  const reader = new RowReader(tables);
  let batch: { table: ExportedTable; rows: string[] } | undefined;
  let isFirst = true;
  for await (const { bytes } of fileLines(path)) {
    const row = isFirst ? undefined : reader.read(bytes);
    isFirst = false;
    if (!row) continue;
    if (batch && (batch.table !== row.table || batch.rows.length === ROWS_A_BATCH)) {
      yield batch;
      batch = undefined;
    }
    batch ??= { table: row.table, rows: [] };
    batch.rows.push(row.json.toString());
  }
  if (batch) yield batch;
}

/** Tells by its beginning which table a line belongs to; tables come in the header's order. */
class RowReader {
  readonly counts: RowCounts;
  private at = 0;
  private readonly frames: { table: ExportedTable; before: Buffer; after: Buffer }[];

  constructor(tables: readonly ExportedTable[]) {
    this.frames = tables.map((table) => {
      const { before, after } = frameOfRow(table.name);
      return { table, before: Buffer.from(before), after: Buffer.from(after) };
    });
    this.counts = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  }

  read(line: Buffer): { table: ExportedTable; json: Buffer } | undefined {
    for (let at = this.at; ; at++) {
      const frame = this.frames[at];
      if (!frame) return undefined;
      const { table, before, after } = frame;
      if (!line.subarray(0, before.length).equals(before)) continue;
      if (!line.subarray(-after.length).equals(after)) return undefined;
      this.at = at;
      this.counts[table.name] = (this.counts[table.name] ?? 0) + 1;
      return { table, json: line.subarray(before.length, -after.length) };
    }
  }
}
