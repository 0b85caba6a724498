import Table from 'cli-table3';
import type { ApiKey, IssuedApiKey, KeyEvent } from '../auth/keys/api-key.js';
import type { TransferSummary, OnProgress } from '../transfer/export-format.js';

/** Where progress is shown: stderr, or a test's replacement. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const BAR_CELLS = 30;
const REDRAW_MS = 100;
const PLAIN_STEP_PERCENT = 10;

/** Shows the progress of a long command: a bar on a terminal, otherwise a line per 10 %. */
export function showProgress(output: ProgressOutput = process.stderr): OnProgress {
  let shown = { what: '', percent: 0, atMs: -Infinity };
  return (what, done, total) => {
    // Other work starts again at 0.
    if (what !== shown.what) shown = { what, percent: 0, atMs: -Infinity };
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    const text = `${what} ${thousands(done)} of ${thousands(total)}`;
    const nowMs = performance.now();
    if (output.isTTY === true) {
      if (percent < 100 && nowMs - shown.atMs < REDRAW_MS) return;
      shown.atMs = nowMs;
      const full = Math.round((BAR_CELLS * percent) / 100);
      const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
      // Return to the start of the line and clear it.
      output.write(`\r\x1b[K${bar} ${String(percent).padStart(3)}% ${text}${percent < 100 ? '' : '\n'}`);
    } else if (percent - shown.percent >= PLAIN_STEP_PERCENT) {
      shown.percent = percent - (percent % PLAIN_STEP_PERCENT);
      output.write(`${text} (${percent}%)\n`);
    }
  };
}

/** A number with thousands separators: 5,000,000. */
export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}

/** A table of several keys, one per line. */
export function keysTable(keys: readonly ApiKey[]): string {
  const rows = keys.map(cellsOf);
  const table = new Table({ head: Object.keys(rows[0] ?? {}), style: { head: [], border: [] } });
  for (const row of rows) table.push(Object.values(row));
  return table.toString();
}

/** A table of one key, one field per line, with its secret when it was just issued. */
export function keyTable(key: ApiKey | IssuedApiKey): string {
  const table = new Table({ style: { head: [], border: [] } });
  const cells = { ...cellsOf(key), 'banned until': formatted(key.bannedUntil) };
  for (const [name, cell] of Object.entries(cells)) table.push({ [name]: cell });
  if (!('key' in key)) return table.toString();
  return `${table.toString()}\n\nThe key, shown this once:\n\n  ${key.key}`;
}

/** A table of a key's events, oldest first. */
export function eventsTable(events: readonly KeyEvent[]): string {
  const table = new Table({ head: ['when', 'what', ''], style: { head: [], border: [] } });
  for (const { at, kind, detail } of events) table.push([formatted(at), kind, detail ?? '']);
  return table.toString();
}

/** A table of the rows that an export or an import moved. */
export function transferTable(verb: string, { file, migration, rows, sha256 }: TransferSummary): string {
  const table = new Table({
    head: ['table', 'rows'],
    colAligns: ['left', 'right'],
    style: { head: [], border: [] },
  });
  for (const [name, count] of Object.entries(rows)) table.push([name, thousands(count)]);
  return `${verb} ${file}\n${table.toString()}\nschema  ${migration}\nsha256  ${sha256}`;
}

/** The fields of a key in both tables, by their names there. */
function cellsOf(key: ApiKey): Record<string, string | number | null> {
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    'per minute': key.perMinute,
    'per day': key.perDay,
    access: key.readOnly ? 'read' : 'read, write',
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
