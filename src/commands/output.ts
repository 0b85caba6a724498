import Table from 'cli-table3';
import type { ApiKey, IssuedApiKey, KeyEvent } from '../auth/keys/api-key.js';
import type { TransferSummary, OnProgress } from './transfer/export-format.js';

const BAR_CELLS = 30;

/** Shows the progress of a long command: a bar on a terminal, otherwise a line per 10 %. */
export function showProgress(
  output: { isTTY: boolean; write(text: string): unknown } = process.stderr,
): OnProgress {
  const stepPercent = output.isTTY ? 1 : 10;
  let shown = { what: '', percent: 0 };
  return (what, done, total) => {
    // Other work starts again at 0.
    if (what !== shown.what) shown = { what, percent: 0 };
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    if (percent - shown.percent < stepPercent) return;
    shown.percent = percent - (percent % stepPercent);
    const text = `${what} ${thousands(done)} of ${thousands(total)}`;
    const full = Math.round((BAR_CELLS * percent) / 100);
    const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
    // Return to the start of the line and clear it.
    const redrawn = `\r\x1b[K${bar} ${String(percent).padStart(3)}% ${text}${percent < 100 ? '' : '\n'}`;
    output.write(output.isTTY ? redrawn : `${text} (${percent}%)\n`);
  };
}

/** A number with thousands separators: 5,000,000. */
export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}

/** A table of several keys, one per line. */
export function keysTable(keys: readonly ApiKey[]): string {
  const rows = keys.map(cellsOf);
  const head = Object.keys(rows[0] ?? {});
  return tableOf(rows.map(Object.values<Cell>), { head });
}

/** A table of one key, one field per line, with its secret when it was just issued. */
export function keyTable(key: ApiKey | IssuedApiKey): string {
  const cells = { ...cellsOf(key), 'banned until': formatted(key.bannedUntil) };
  const table = tableOf(Object.entries(cells));
  return 'key' in key ? `${table}\n\nThe key, shown this once:\n\n  ${key.key}` : table;
}

/** A table of a key's events, oldest first. */
export function eventsTable(events: readonly KeyEvent[]): string {
  const rows = events.map(({ at, kind, detail }) => [formatted(at), kind, detail ?? '']);
  return tableOf(rows, { head: ['when', 'what', ''] });
}

/** A table of the rows that an export or an import moved. */
export function transferTable(verb: string, { file, migration, rows, sha256 }: TransferSummary): string {
  const cells = Object.entries(rows).map(([name, count]) => [name, thousands(count)]);
  const table = tableOf(cells, { head: ['table', 'rows'], colAligns: ['left', 'right'] });
  return `${verb} ${file}\n${table}\nschema  ${migration}\nsha256  ${sha256}`;
}

type Cell = string | number | null;

/** A table without colours. */
function tableOf(rows: Cell[][], options: Table.TableConstructorOptions = {}): string {
  const table = new Table({ ...options, style: { head: [], border: [] } });
  table.push(...rows);
  return table.toString();
}

/** The fields of a key in both tables, by their names there. */
function cellsOf(key: ApiKey): Record<string, Cell> {
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    'per minute': key.perMinute,
    'per day': key.perDay,
    access: key.access,
    prefix: `${key.prefix}…`,
    created: formatted(key.createdAt),
    expires: formatted(key.expiresAt),
    revoked: formatted(key.revokedAt),
    'last used': formatted(key.lastUsedAt),
  };
}

function formatted(date: Date | null): string {
  return date === null ? '-' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
