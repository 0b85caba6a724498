import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';

/*
 * The lines of an export (docs/databases.md): a header, one line a row and a trailer. PostgreSQL writes and reads the JSON of a
 * row, so nothing is rounded here. `pg_dump` needs a client program of the server's version and does not reach the embedded database.
 */
export const FORMAT = { format: 'animal-store-export', version: 1 };
export const ROWS_PER_BATCH = 2_000;

export interface Header {
  /** The last migration of the exported database, which names the schema of the rows. */
  migration: string;
  /** The id of the next row by table, as text, because it may exceed a double. */
  nextIds: Record<string, string>;
}

/** The number of rows by table, and the SHA-256 of every line before this one. */
export interface Trailer {
  rows: Record<string, number>;
  sha256: string;
}

/** The result of an export or an import. */
export type TransferSummary = Trailer & { file: string; migration: string };

/** Called as rows are processed. */
export type OnProgress = (what: string, done: number, total: number) => void;

export const sumOf = (rows: Trailer['rows']) => Object.values(rows).reduce((sum, count) => sum + count, 0);

/** U+2028 and U+2029 are escaped, because they end a line for Node. */
export const rowLine = (table: string, json: string) =>
  `{"table":${JSON.stringify(table)},"row":${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}}\n`;
const ROW = /^\{"table":("(?:[^"\\]|\\.)*"),"row":(\{.*\})\}$/;

/**
 * Reads a file, and passes the rows of one table that follow each other on in batches, as PostgreSQL wrote them.
 *
 * @throws RefusedInputError when the file cannot be read or is damaged, possibly after the last batch.
 */
export async function readExport(
  path: string,
  onRows: (table: string, rows: string[]) => Promise<void> = () => Promise.resolve(),
): Promise<{ header: Header; trailer: Trailer }> {
  const refuse = (what: string) => new RefusedInputError(`${path} ${what}`);
  const file = await open(path).catch((cause: unknown) => {
    throw new RefusedInputError(`Cannot read the file: ${(cause as Error).message}`, { cause });
  });
  const hash = createHash('sha256');
  let header: Header | undefined;
  let trailer: Trailer | undefined;
  let batch: { table: string; rows: string[] } = { table: '', rows: [] };
  for await (const line of file.readLines()) {
    if (trailer) throw refuse('was altered: there is more after its last line');
    const [, name, json] = ROW.exec(line) ?? [];
    if (!header) {
      header = parsed(line) as typeof header & typeof FORMAT;
      const { format, version } = header as Partial<typeof FORMAT>;
      if (format !== FORMAT.format) throw refuse('is not an export of an animal store');
      if (version !== FORMAT.version) throw refuse('has another format: import it with its own release');
    } else if (name === undefined || json === undefined) {
      trailer = parsed(line) as Trailer;
      if (trailer.sha256 !== hash.digest('hex'))
        throw refuse('is damaged or truncated: its checksum does not match');
      continue;
    } else {
      const table = JSON.parse(name) as string;
      if (batch.rows.length === ROWS_PER_BATCH || batch.table !== table) {
        if (batch.rows.length > 0) await onRows(batch.table, batch.rows);
        batch = { table, rows: [] };
      }
      batch.rows.push(json);
    }
    hash.update(`${line}\n`);
  }
  if (!header || !trailer) throw refuse('is truncated: its last line, with counts and checksum, is missing');
  if (batch.rows.length > 0) await onRows(batch.table, batch.rows);
  return { header, trailer };
}

function parsed(line: string): object {
  try {
    return Object(JSON.parse(line)) as object;
  } catch {
    return {};
  }
}
