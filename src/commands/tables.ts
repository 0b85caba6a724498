import Table from 'cli-table3';
import type { ApiKey, IssuedApiKey, KeyEvent } from '../auth/keys/api-key.js';
import type { TransferSummary } from '../transfer/export-format.js';
import { thousands } from './progress.js';

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
