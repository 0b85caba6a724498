import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { RefusedInputError } from '../../platform/common/errors/refused-input-error.js';

// docs/databases.md describes the lines. PostgreSQL writes and reads the JSON of a row, so nothing is rounded here.
export const FORMAT = { format: 'animal-store-export', version: 1 };
export const ROWS_PER_BATCH = 2_000;

/** What a file says of its rows. */
export interface Contents {
  /** The last migration of the exported database, which names the schema of the rows. */
  migration: string;
  /** The id of the next row by table, as text, because it may exceed a double. */
  nextIds: Record<string, string>;
  /** The number of rows by table. */
  rows: Record<string, number>;
  /** Of every line before the last one. */
  sha256: string;
}

/** The result of an export or an import. */
export type TransferSummary = Omit<Contents, 'nextIds'> & { file: string };

/** Called as rows are processed. */
export type OnProgress = (what: string, done: number, total: number) => void;

/** U+2028 and U+2029 are escaped, because they end a line for Node. */
export const rowLine = (table: string, json: string) =>
  `{"table":"${table}","row":${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}}\n`;
const ROW = /^\{"table":"(\w+)","row":(\{.*\})\}$/;

/**
 * Reads a file, and passes the rows of one table that follow each other on in batches, as PostgreSQL wrote them.
 *
 * @throws RefusedInputError when the file cannot be read or is damaged, possibly after the last batch.
 */
export async function readExport(
  path: string,
  onRows: (table: string, rows: string[]) => Promise<void> = () => Promise.resolve(),
): Promise<Contents> {
  const refuse = (what: string) => new RefusedInputError(`${path} ${what}`);
  const file = await open(path).catch((cause: unknown) => {
    throw new RefusedInputError(`Cannot read the file: ${(cause as Error).message}`, { cause });
  });
  const hash = createHash('sha256');
  let header: object | undefined;
  let trailer: { sha256?: string } | undefined;
  let table = '';
  let rows: string[] = [];
  for await (const line of file.readLines()) {
    if (trailer) throw refuse('was altered: there is more after its last line');
    const [, name = '', json] = ROW.exec(line) ?? [];
    if (!header) {
      header = parsed(line);
      const { format, version } = header as Partial<typeof FORMAT>;
      if (format !== FORMAT.format || version !== FORMAT.version)
        throw refuse('is not an export that this release can read');
    } else if (json === undefined) {
      trailer = parsed(line);
      if (trailer.sha256 !== hash.digest('hex'))
        throw refuse('is damaged or truncated: its checksum does not match');
      continue;
    } else {
      if (rows.length === ROWS_PER_BATCH || name !== table) {
        if (rows.length > 0) await onRows(table, rows);
        table = name;
        rows = [];
      }
      rows.push(json);
    }
    hash.update(`${line}\n`);
  }
  if (!header || !trailer) throw refuse('is truncated: its last line, with counts and checksum, is missing');
  if (rows.length > 0) await onRows(table, rows);
  return { ...header, ...trailer } as Contents;
}

function parsed(line: string): object {
  try {
    return Object(JSON.parse(line)) as object;
  } catch {
    return {};
  }
}
