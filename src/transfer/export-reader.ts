import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isPlan, MAX_LIMIT, PLAN_NAMES, PLANS } from '../auth/plans.js';
import { RefusedInputError } from '../common/errors/api-error.js';
import { INT64_MAX } from '../common/int64.js';
import { JsonSyntaxError, type JsonValue, parseJson } from '../common/json.js';
import {
  type ExportedTable,
  type ExportHeader,
  type ExportTrailer,
  frameOfRow,
  parseHeader,
  parseTrailer,
  reasonOf,
  type RowCounts,
} from './export-format.js';

const ROWS_PER_BATCH = 2_000;
const CHUNK_BYTES = 1024 * 1024;
// The longest row is a stored response of some kilobytes. The bound keeps a file without line ends out of memory.
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** An export whose lines, checksum and rows are valid. */
export interface CheckedExport {
  path: string;
  header: ExportHeader;
  /** The header's bytes as they are in the file. */
  headerLine: Buffer;
  trailer: ExportTrailer;
}

/** Reads a whole file and checks it. @throws RefusedInputError that says what is wrong with it. */
export async function checkExport(path: string): Promise<CheckedExport> {
  try {
    return await check(path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw cannotRead(path, reasonOf(error), error);
    throw error;
  }
}

async function check(path: string): Promise<CheckedExport> {
  if (!(await stat(path)).isFile())
    throw cannotRead(path, 'it is not a regular file, and an import reads its file twice');
  const lines = fileLines(path);
  const first = (await lines.next()).value as FileLine | undefined;
  const header = first && parseHeader(first.bytes);
  if (!header) {
    throw new RefusedInputError(
      `${path} is not an export of an animal store: its first line is not a header`,
    );
  }
  if (!header.isKnownVersion) {
    throw new RefusedInputError(
      `${path} is an export in a newer format than this release knows; import it with a newer one`,
    );
  }
  const hash = createHash('sha256').update(first.bytes).update('\n');
  const rows = new RowReader(header.tables);
  let firstInvalidRow: Error | undefined;
  let number = 1;
  for await (const { bytes, isEnded } of lines) {
    number++;
    const trailer = isEnded ? parseTrailer(bytes) : undefined;
    if (trailer) {
      if (!(await lines.next()).done) throw altered(path, `there is more after line ${number}, the last`);
      refuseDifference(path, trailer, hash.digest('hex'), rows.counts);
      // Thrown last, so that a damaged file is reported as damaged and not as a wrong row.
      if (firstInvalidRow) throw firstInvalidRow;
      return { path, header, headerLine: first.bytes, trailer };
    }
    if (!isEnded) throw truncated(path);
    const row = rows.read(bytes);
    if (!row) throw altered(path, `line ${number} is not a row of the expected table`);
    const problem = firstInvalidRow ? undefined : rowProblem(row.table, row.json);
    if (problem !== undefined)
      firstInvalidRow = new RefusedInputError(`${path} cannot be imported: line ${number}: ${problem}`);
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
      throw altered(path, `its last line has a wrong row count for ${name}`);
  }
}

const cannotRead = (path: string, reason: string, cause?: unknown) =>
  new RefusedInputError(`Cannot read ${path}: ${reason}`, { cause });

const truncated = (path: string) =>
  new RefusedInputError(`${path} is truncated: its last line, with counts and checksum, is missing`);

const altered = (path: string, what: string) => new RefusedInputError(`${path} was altered: ${what}`);

/** The rows of a checked export in batches, as PostgreSQL wrote them. */
export async function* rowBatches(
  path: string,
  tables: readonly ExportedTable[],
): AsyncGenerator<{ table: ExportedTable; rows: string[] }> {
  const reader = new RowReader(tables);
  let batch: { table: ExportedTable; rows: string[] } | undefined;
  for await (const { bytes } of fileLines(path)) {
    const row = reader.read(bytes);
    // The header and the trailer are not rows.
    if (!row) continue;
    if (batch && (batch.table !== row.table || batch.rows.length === ROWS_PER_BATCH)) {
      yield batch;
      batch = undefined;
    }
    batch ??= { table: row.table, rows: [] };
    batch.rows.push(row.json.toString());
  }
  if (batch) yield batch;
}

/** Recognises each row's table by the start of its line. Tables come in the header's order. */
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

/** A line without its line end; `isEnded` is false for a last line without one. */
interface FileLine {
  bytes: Buffer;
  isEnded: boolean;
}

/**
 * The lines of a file as bytes, within a few megabytes of memory; stops after MAX_LINE_BYTES without a line end.
 * `node:readline` was considered: it decodes to text, loses whether the last line is ended and has no length limit.
 */
async function* fileLines(path: string): AsyncGenerator<FileLine> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      yield { bytes: bytes.subarray(start, end), isEnded: true };
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES) break;
  }
  if (rest.length > 0) yield { bytes: rest, isEnded: false };
}

type Row = Readonly<Record<string, JsonValue>>;

/**
 * What is wrong with a row that PostgreSQL would store, or refuse without naming the line; undefined when nothing is. The
 * import checks this before it opens the database.
 */
export function rowProblem(table: ExportedTable, json: Buffer): string | undefined {
  const row = parseRow(json);
  if (!row) return `a row of ${table.name} is not a JSON object`;
  return int64Problem(table, row) ?? (table.name === 'api_keys' ? planProblem(row) : undefined);
}

function parseRow(json: Buffer): Row | undefined {
  try {
    const value = parseJson(json);
    const isObject = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
    return isObject ? (value as Row) : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function int64Problem({ name, columns, ids }: ExportedTable, row: Row): string | undefined {
  for (const [column, type] of Object.entries(columns)) {
    const value = row[column];
    if (type !== 'bigint' || value === null || value === undefined) continue;
    if (typeof value !== 'bigint') return `${name}.${column} is not an int64`;
    if (column === ids?.column && value === INT64_MAX)
      return `${name}.${column} is ${String(value)}, which leaves no id for the next row`;
  }
  return undefined;
}

/** The same rules as for `keys create`: see auth/keys/key-rules.ts. */
function planProblem({ plan, per_minute, per_day }: Row): string | undefined {
  if (typeof plan !== 'string' || !isPlan(plan))
    return `api_keys.plan is not one of ${PLAN_NAMES.join(', ')}`;
  const isCustom = PLANS[plan] === null;
  const fits = isCustom ? isLimit : isAbsent;
  if (fits(per_minute) && fits(per_day)) return undefined;
  return isCustom
    ? `api_keys.per_minute and per_day of the plan ${plan} are not integers from 1 to ${MAX_LIMIT}`
    : `api_keys.per_minute and per_day are set for the plan ${plan}`;
}

function isLimit(value: JsonValue | undefined): boolean {
  return typeof value === 'bigint' && value >= 1n && value <= BigInt(MAX_LIMIT);
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === null || value === undefined;
}
