import { z } from 'zod';
import { INT64_MAX } from '../common/int64.js';
import { JsonSyntaxError, parseJson, stringifyJson } from '../common/json.js';

/**
 * The lines of an export (docs/export-format.md): a header, one line per row, table by table in the header's order, and a
 * trailer. PostgreSQL writes and reads the JSON of a row, so nothing is rounded here. `pg_dump` was considered: it needs a
 * client program of the server's version and does not reach the embedded database.
 */
const FORMAT = 'animal-store-export';
const FORMAT_VERSION = 1n;

const tableShape = z.object({
  name: z.string(),
  /** Type by column, in PostgreSQL's spelling. */
  columns: z.record(z.string(), z.string()),
  /** The primary key; rows are sorted by it. */
  key: z.array(z.string()).min(1),
  /** The identity column, if there is one, and the id of the next row. */
  ids: z.object({ column: z.string(), next: z.bigint().min(1n).max(INT64_MAX) }).optional(),
});

const headerShape = z.object({
  format: z.literal(FORMAT),
  version: z.bigint(),
  /** The last migration of the exported database. */
  migration: z.string(),
  exportedAt: z.string(),
  tables: z.array(tableShape).min(1),
});

const trailerShape = z.object({
  rows: z.record(z.string(), z.bigint().transform(Number)),
  /** The checksum of every byte before the trailer. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export type ExportedTable = z.infer<typeof tableShape>;
export type ExportHeader = Pick<z.infer<typeof headerShape>, 'migration' | 'tables'>;
export type ExportTrailer = z.infer<typeof trailerShape>;
/** Rows per table. */
export type RowCounts = ExportTrailer['rows'];

/** The result of an export or an import. */
export interface TransferSummary extends ExportTrailer {
  file: string;
  /** The last migration of the schema in the file. */
  migration: string;
}

/** Called as rows are processed. */
export type OnProgress = (what: string, done: number, total: number) => void;

/** The number of rows of all tables. */
export function sumOf(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

const TRAILER_START = '{"rows":';

/** The header, without a line end. */
export function headerLine({ migration, tables }: ExportHeader, exportedAt: Date): string {
  return stringifyJson({ format: FORMAT, version: FORMAT_VERSION, migration, exportedAt, tables });
}

/** The trailer, without a line end. */
export function trailerLine({ rows, sha256 }: ExportTrailer): string {
  return stringifyJson({ rows, sha256 });
}

/** The text before and after the JSON on a row's line. */
export function frameOfRow(table: string): { before: string; after: string } {
  return { before: `{"table":${JSON.stringify(table)},"row":`, after: '}' };
}

/** Undefined when the line is not a header. */
export function parseHeader(line: Buffer): (ExportHeader & { isKnownVersion: boolean }) | undefined {
  const header = parsed(headerShape, line);
  return header && { ...header, isKnownVersion: header.version === FORMAT_VERSION };
}

/** Undefined when the line is not a trailer. */
export function parseTrailer(line: Buffer): ExportTrailer | undefined {
  const isTrailer = line.subarray(0, TRAILER_START.length).equals(Buffer.from(TRAILER_START));
  return isTrailer ? parsed(trailerShape, line) : undefined;
}

function parsed<Shape extends z.ZodType>(shape: Shape, line: Buffer): z.infer<Shape> | undefined {
  try {
    return shape.safeParse(parseJson(line)).data;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Why a file cannot be opened, without the name of the system call. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOENT: 'there is no such file or folder',
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
    EEXIST: 'it exists already',
    EROFS: 'the file system is read-only',
  };
  return known[code ?? ''] ?? code ?? String(error);
}
