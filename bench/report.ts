import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** A line of the report. */
export interface Row {
  what: string;
  measured: string;
  target: string;
  /** Whether the target is met; absent without a strict target. */
  isMet?: boolean;
}

/** The results of one part of the bench. */
export interface Part {
  rows: Row[];
  /** Further results as Markdown. */
  details?: string;
  /** SVG charts by file name. */
  charts?: Record<string, string>;
  /** The reasons for the run to fail, if any. */
  broken?: string[];
}

const RESULTS = new URL('./results/', import.meta.url);

/** Writes bench/results/ and prints the report, which ends with the table of targets. */
export function writeReport(parts: Part[]): void {
  const rows = parts.flatMap((part) => part.rows);
  const details = parts.flatMap((part) => part.details ?? []);
  const report = [
    `# Measured on ${cpus().length} cores, Node ${process.version}`,
    ...details,
    ...(rows.length > 0 ? [rowTable(rows)] : []),
  ].join('\n\n');
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL('report.md', RESULTS), `${report}\n`);
  for (const { charts = {} } of parts) {
    for (const [name, svg] of Object.entries(charts)) writeFileSync(new URL(name, RESULTS), svg);
  }
  console.log(report);
}

function rowTable(rows: Row[]): string {
  const verdict = ({ isMet }: Row) => (isMet === undefined ? '' : isMet ? 'met' : 'missed');
  return [
    '| What | Measured | To reach | |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.what} | ${row.measured} | ${row.target} | ${verdict(row)} |`),
  ].join('\n');
}
