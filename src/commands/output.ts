import Table from 'cli-table3';
import type { KeyEventDto } from '../keys/dto/key-lists.dto.js';
import type { IssuedKeyDto, KeyDto } from '../keys/dto/keys.dto.js';

const STEP_PERCENT = 10;
const BORDERS =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const NO_BORDER = Object.fromEntries(BORDERS.split(' ').map((border) => [border, '']));

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

const COLUMNS = ['prefix', 'name', 'reference', 'plan', 'access', 'state', 'last used', 'expires'];
const NO_LINES = { ...NO_BORDER, middle: ' ' };

/** A table of several keys, at most 100 columns wide: it has no lines, and cuts a long name or reference. */
export function keysTable(keys: readonly KeyDto[]): string {
  const day = (at: Date | null) => formatted(at).slice(0, 10);
  const rows = keys.map(({ prefix, name, reference, plan, access, state, lastUsedAt, expiresAt }) => [
    ...[prefix, name, reference ?? '-', plan, access, state],
    ...[day(lastUsedAt), day(expiresAt)],
  ]);
  return tableOf(rows, { head: COLUMNS, colWidths: [12, 20, 14], chars: NO_LINES }, 0);
}

/** A table of one key, one field per line, with its secret when it was just issued. */
export function keyTable(key: KeyDto | IssuedKeyDto): string {
  const table = tableOf(Object.entries(cellsOf(key)));
  return 'key' in key ? `${table}\n\nThe key, shown this once:\n\n  ${key.key}` : table;
}

/** A table of a key's events, oldest first. */
export function eventsTable(events: readonly KeyEventDto[]): string {
  const rows = events.map(({ at, kind, actor, actorName, changes }) => [
    ...[formatted(at), kind, actorName ?? actor, changesOf(changes)],
  ]);
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
function tableOf(rows: Cell[][], options: Table.TableConstructorOptions = {}, padding = 1): string {
  const style = { head: [], border: [], compact: true, 'padding-left': padding, 'padding-right': padding };
  const table = new Table({ ...options, style });
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
