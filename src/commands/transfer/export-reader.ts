import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import { JsonSyntaxError, type JsonValue, parseJson } from '../../platform/common/json.js';
import {
  type ExportedTable,
  type ExportHeader,
  type ExportTrailer,
  FORMAT_VERSION,
  frameOfRow,
  headerShape,
  type RowCounts,
  trailerShape,
} from './export-format.js';
import { rowShape } from './row-shape.js';

const ROWS_PER_BATCH = 2_000;
const CHUNK_BYTES = 1024 * 1024;
// The longest row is a stored response of some kilobytes. The bound keeps a file without line ends out of memory.
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/** What an export holds beside its rows. */
export interface ExportFile {
  path: string;
  header: ExportHeader;
  /** The header as it is in the file. */
  headerLine: string;
  trailer: ExportTrailer;
}

/** Rows of one table that follow each other in the file, as PostgreSQL wrote them. */
interface RowBatch {
  table: ExportedTable;
  rows: string[];
  /** The number of the first row's line. */
  firstLine: number;
}

/** Reads a whole file and checks it and its rows. @throws RefusedInputError that says what is wrong with it. */
export async function checkExport(path: string): Promise<ExportFile> {
  let problem: string | undefined;
  const file = await readExport(path, (batch) => {
    problem ??= problemIn(batch);
  });
  // Thrown last, so that a damaged file is reported as damaged and not as a wrong row.
  if (problem !== undefined) throw new RefusedInputError(`${path} cannot be imported: ${problem}`);
  return file;
}

function problemIn({ table, rows, firstLine }: RowBatch): string | undefined {
  const shape = rowShape(table);
  for (const [at, row] of rows.entries()) {
    const issue = shape.safeParse(parsed(row)).error?.issues[0];
    if (issue) return `line ${firstLine + at}: ${[table.name, ...issue.path].join('.')} ${issue.message}`;
  }
  return undefined;
}

/**
 * Reads a file and passes its rows on in batches. Its checksum and its row counts are compared after the last batch.
 * @throws RefusedInputError when the file cannot be read or is damaged.
 */
export async function readExport(
  path: string,
  onRows: (batch: RowBatch) => void | Promise<void>,
): Promise<ExportFile> {
  const hash = createHash('sha256');
  const lines = linesOf(path);
  const headerLine = (await lines.next()).value ?? '';
  const header = headerOf(path, headerLine);
  hash.update(headerLine);
  const frames = header.tables.map((table) => ({ table, ...frameOfRow(table.name) }));
  const counts: RowCounts = Object.fromEntries(header.tables.map(({ name }) => [name, 0]));
  let trailer: ExportTrailer | undefined;
  let batch: RowBatch | undefined;
  let number = 1;
  for await (const line of lines) {
    if (trailer) throw altered(path, `there is more after line ${number}, the last`);
    number++;
    if (!line.endsWith('\n')) break;
    const frame = frames.find(({ before, after }) => line.startsWith(before) && line.endsWith(after));
    if (!frame) {
      trailer = trailerShape.safeParse(parsed(line)).data;
      if (!trailer) throw altered(path, `line ${number} is not a row of a table in its header`);
      continue;
    }
    hash.update(line);
    const { table, before, after } = frame;
    counts[table.name] = (counts[table.name] ?? 0) + 1;
    if (batch && (batch.table !== table || batch.rows.length === ROWS_PER_BATCH)) {
      await onRows(batch);
      batch = undefined;
    }
    batch ??= { table, rows: [], firstLine: number };
    batch.rows.push(line.slice(before.length, -after.length));
  }
  if (!trailer)
    throw new RefusedInputError(`${path} is truncated: its last line, with counts and checksum, is missing`);
  if (trailer.sha256 !== hash.digest('hex'))
    throw altered(path, 'its content does not match the checksum in its last line');
  if (!isDeepStrictEqual(trailer.rows, counts)) throw altered(path, 'its last line has wrong row counts');
  if (batch) await onRows(batch);
  return { path, header, headerLine, trailer };
}

const altered = (path: string, what: string) => new RefusedInputError(`${path} was altered: ${what}`);

function headerOf(path: string, line: string): ExportHeader {
  const header = line.endsWith('\n') ? headerShape.safeParse(parsed(line)).data : undefined;
  if (!header) {
    throw new RefusedInputError(
      `${path} is not an export of an animal store: its first line is not a header`,
    );
  }
  if (header.version !== FORMAT_VERSION) {
    throw new RefusedInputError(
      `${path} is an export in a newer format than this release knows; import it with a newer one`,
    );
  }
  return header;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/**
 * The lines of a file with their line ends, within a few megabytes of memory. A last line may have no end, and reading stops at a
 * line that is too long. `node:readline` was considered: it ends lines at U+2028 too, which text may hold, and has no length limit.
 */
async function* linesOf(path: string): AsyncGenerator<string, undefined> {
  let rest = '';
  try {
    if (!(await stat(path)).isFile())
      throw new RefusedInputError(
        `Cannot read ${path}: it is not a regular file, and an import reads its file twice`,
      );
    // Bytes that are not UTF-8 become other characters, which the checksum does not match.
    for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: CHUNK_BYTES })) {
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield `${line}\n`;
      if (rest.length > MAX_LINE_CHARACTERS) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new RefusedInputError(`Cannot read the file: ${error.message}`, { cause: error });
  }
  if (rest !== '') yield rest;
}
