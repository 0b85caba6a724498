import Table from 'cli-table3';
import type { KeyEventDto } from '../auth/keys/dto/key-lists.dto.js';
import type { IssuedKeyDto, KeyDto } from '../auth/keys/dto/keys.dto.js';

const STEP_PERCENT = 10;

/** Called as work is done. */
type OnProgress = (what: string, done: number, total: number) => void;

/** Shows the progress of a long command on stderr: a line per 10 %. */
export function showProgress(write = (text: string): unknown => process.stderr.write(text)): OnProgress {
  let shown = { what: '', percent: 0 };
  return (what, done, total) => {
    // Other work starts again at 0.
    if (what !== shown.what) shown = { what, percent: 0 };
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    if (percent - shown.percent < STEP_PERCENT) return;
    shown.percent = percent - (percent % STEP_PERCENT);
    write(`${what} ${thousands(done)} of ${thousands(total)} (${percent}%)\n`);
  };
}

/** A number with thousands separators: 5,000,000. */
export function thousands(count: number): string {
  return count.toLocaleString('en-US');
}

/** A table of several keys. A long name is cut. */
export function keysTable(keys: readonly KeyDto[]): string {
  const rows = keys.map(({ id, name, plan, access, state, expiresAt }) => [
    ...[id, name, plan, access, state],
    formatted(expiresAt).slice(0, 10),
  ]);
  return tableOf(rows, { head: ['id', 'name', 'plan', 'access', 'state', 'expires'], colWidths: [null, 25] });
}

/** A table of one key, one field per line, with its secret when it was just issued. */
export function keyTable(key: KeyDto | IssuedKeyDto): string {
  const table = tableOf(Object.entries(cellsOf(key)));
  return 'key' in key ? `${table}\n\nThe key, shown this once:\n\n  ${key.key}` : table;
}

/** A table of a key's events, oldest first. */
export function eventsTable(events: readonly KeyEventDto[]): string {
  const rows = events.map(({ at, kind, actor, changes }) => [formatted(at), kind, actor, changesOf(changes)]);
  return tableOf(rows, { head: ['when', 'what', 'by', 'changes'] });
}

function changesOf(changes: KeyEventDto['changes']): string {
  const text = (value: string | number | null) => (value === null ? '-' : String(value));
  return Object.entries(changes)
    .map(([field, { before, after }]) => `${field}: ${text(before)} → ${text(after)}`)
    .join('\n');
}

type Cell = string | number | null;

/** A table without colours. */
function tableOf(rows: Cell[][], options: Table.TableConstructorOptions = {}): string {
  const table = new Table({ ...options, style: { head: [], border: [], compact: true } });
  table.push(...rows);
  return table.toString();
}

/** The fields of a key, by their names in the table. */
function cellsOf(key: KeyDto): Record<string, Cell> {
  return {
    id: key.id,
    name: key.name,
    reference: key.reference ?? '-',
    plan: key.plan,
    'per minute': key.perMinute,
    'per day': key.perDay,
    access: key.access,
    state: key.state,
    prefix: `${key.prefix}…`,
    created: formatted(key.createdAt),
    expires: formatted(key.expiresAt),
    revoked: formatted(key.revokedAt),
    'last used': formatted(key.lastUsedAt),
    'banned until': formatted(key.bannedUntil),
  };
}

function formatted(date: Date | null): string {
  return date === null ? '-' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
