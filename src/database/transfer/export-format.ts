import { z } from 'zod';
import { JsonSyntaxError, parseJson } from '../../common/json/parse-json.js';
import { stringifyJson } from '../../common/json/stringify-json.js';

/**
 * The lines of an export (docs/export-format.md): a header, then every row as a line of its own, table by table in the
 * header's order, then a trailer. A row's JSON is made by PostgreSQL and read by PostgreSQL, so nothing is rounded here.
 */
const FORMAT = 'animal-store-export';
const FORMAT_VERSION = 1n;

const tableShape = z.object({
  name: z.string(),
  /** Column → type, as PostgreSQL writes it. */
  columns: z.record(z.string(), z.string()),
  /** The primary key, whose order the rows have. */
  key: z.array(z.string()).min(1),
  /** Where the table gives ids by itself: the column, and what the next row gets. */
  ids: z.object({ column: z.string(), next: z.bigint() }).optional(),
});

const headerShape = z.object({
  format: z.literal(FORMAT),
  version: z.bigint(),
  /** The last migration that the exported database had seen. */
  migration: z.string(),
  exportedAt: z.string(),
  tables: z.array(tableShape).min(1),
});

const trailerShape = z.object({
  rows: z.record(z.string(), z.bigint()),
  /** Of every byte before the trailer's line. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export type ExportedTable = z.infer<typeof tableShape>;
export type ExportHeader = Pick<z.infer<typeof headerShape>, 'migration' | 'tables'>;
/** Rows per table. */
export type RowCounts = Record<string, number>;

export interface ExportTrailer {
  rows: RowCounts;
  sha256: string;
}

const TRAILER_START = '{"rows":';

/** The header's line, without its end. */
export function headerLine({ migration, tables }: ExportHeader, exportedAt: Date): string {
  return stringifyJson({ format: FORMAT, version: FORMAT_VERSION, migration, exportedAt, tables });
}

/** The trailer's line, without its end. */
export function trailerLine({ rows, sha256 }: ExportTrailer): string {
  return stringifyJson({ rows, sha256 });
}

/** What stands on a row's line around its JSON. */
export function frameOfRow(table: string): { before: string; after: string } {
  return { before: `{"table":${JSON.stringify(table)},"row":`, after: '}' };
}

/** Undefined for a line that is no header; `version` is for the reader to judge. */
export function parseHeader(line: Buffer): (ExportHeader & { isKnownVersion: boolean }) | undefined {
  const header = parsed(headerShape, line);
  return header && { ...header, isKnownVersion: header.version === FORMAT_VERSION };
}

/** Undefined for a line that is no trailer. */
export function parseTrailer(line: Buffer): ExportTrailer | undefined {
  if (!line.subarray(0, TRAILER_START.length).equals(Buffer.from(TRAILER_START))) return undefined;
  const trailer = parsed(trailerShape, line);
  if (!trailer) return undefined;
  const rows = Object.entries(trailer.rows).map(([table, count]) => [table, Number(count)]);
  return { rows: Object.fromEntries(rows) as RowCounts, sha256: trailer.sha256 };
}

function parsed<Shape extends z.ZodType>(shape: Shape, line: Buffer): z.infer<Shape> | undefined {
  try {
    return shape.safeParse(parseJson(line)).data;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
