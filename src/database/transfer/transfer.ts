import type { RowCounts } from './export-format.js';

/** What went through, for whoever asked for it. */
export interface TransferSummary {
  file: string;
  /** The last migration of the schema that the file has. */
  migration: string;
  rows: RowCounts;
  /** Of every line but the last, which names it. */
  sha256: string;
}

/** Told as rows go by. */
export type OnProgress = (what: string, done: number, total: number) => void;

/** The rows of all tables together. */
export function sumOf(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}
