import { z } from 'zod';
import { INT64_MAX } from '../../platform/common/int64.js';
import { stringifyJson } from '../../platform/common/json.js';

/**
 * The lines of an export (docs/export-format.md): a header, one line per row and a trailer. PostgreSQL writes and reads the
 * JSON of a row, so nothing is rounded here. `pg_dump` was considered: it needs a client program of the server's version and
 * does not reach the embedded database.
 */
const FORMAT = 'animal-store-export';
export const FORMAT_VERSION = 1n;

const tableShape = z.object({
  name: z.string(),
  /** Type by column, in PostgreSQL's spelling. */
  columns: z.record(z.string(), z.string()),
  /** The primary key; rows are sorted by it. */
  key: z.array(z.string()).min(1),
  /** The identity column, if there is one, and the id of the next row. */
  ids: z.object({ column: z.string(), next: z.bigint().min(1n).max(INT64_MAX) }).optional(),
});

export const headerShape = z.object({
  format: z.literal(FORMAT),
  version: z.bigint(),
  /** The last migration of the exported database. */
  migration: z.string(),
  exportedAt: z.string(),
  tables: z
    .array(tableShape)
    .min(1)
    .refine((tables) => new Set(tables.map(({ name }) => name)).size === tables.length),
});

export const trailerShape = z.strictObject({
  rows: z.record(z.string(), z.bigint().transform(Number)),
  /** The checksum of every byte before the trailer. */
  sha256: z.string(),
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

export function headerLine({ migration, tables }: ExportHeader): string {
  const header = { format: FORMAT, version: FORMAT_VERSION, migration, exportedAt: new Date(), tables };
  return `${stringifyJson(header)}\n`;
}

export function trailerLine({ rows, sha256 }: ExportTrailer): string {
  return `${JSON.stringify({ rows, sha256 })}\n`;
}

/** The text before and after the JSON on a row's line. */
export function frameOfRow(table: string): { before: string; after: string } {
  return { before: `{"table":${JSON.stringify(table)},"row":`, after: '}\n' };
}
