import Table from 'cli-table3';
import type { TransferSummary } from '../database/transfer/transfer.js';
import { thousands } from './progress.js';

/** What an export or an import moved, for people. */
export function transferTable(verb: string, { file, migration, rows, sha256 }: TransferSummary): string {
  const table = new Table({
    head: ['table', 'rows'],
    colAligns: ['left', 'right'],
    style: { head: [], border: [] },
  });
  for (const [name, count] of Object.entries(rows)) table.push([name, thousands(count)]);
  return `${verb} ${file}\n${table.toString()}\nschema  ${migration}\nsha256  ${sha256}`;
}
