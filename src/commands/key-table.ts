import Table from 'cli-table3';
import type { ApiKey, IssuedApiKey, KeyEvent } from '../auth/api-key.js';

/** Several keys, one line each, for people. */
export function keysTable(keys: readonly ApiKey[]): string {
  const table = new Table({
    head: [
      'id',
      'name',
      'plan',
      'per minute',
      'per day',
      'access',
      'prefix',
      'created',
      'expires',
      'revoked',
      'last used',
    ],
    style: { head: [], border: [] },
  });
  for (const key of keys) {
    table.push([
      key.id,
      key.name,
      key.plan,
      key.perMinute,
      key.perDay,
      key.readOnly ? 'read' : 'read, write',
      `${key.prefix}…`,
      moment(key.createdAt),
      moment(key.expiresAt),
      moment(key.revokedAt),
      moment(key.lastUsedAt),
    ]);
  }
  return table.toString();
}

/** One key, a line a field, for people; with its secret where it was just issued. */
export function keyTable(key: ApiKey | IssuedApiKey): string {
  const table = new Table({ style: { head: [], border: [] } });
  table.push(
    { id: key.id },
    { name: key.name },
    { plan: key.plan },
    { 'per minute': key.perMinute },
    { 'per day': key.perDay },
    { access: key.readOnly ? 'read' : 'read, write' },
    { prefix: `${key.prefix}…` },
    { created: moment(key.createdAt) },
    { expires: moment(key.expiresAt) },
    { revoked: moment(key.revokedAt) },
    { 'last used': moment(key.lastUsedAt) },
    { 'banned until': moment(key.bannedUntil) },
  );
  if (!('key' in key)) return table.toString();
  return `${table.toString()}\n\nThe key, shown this once:\n\n  ${key.key}`;
}

/** What happened to a key, oldest first, for people. */
export function eventsTable(events: readonly KeyEvent[]): string {
  const table = new Table({ head: ['when', 'what', ''], style: { head: [], border: [] } });
  for (const { at, kind, detail } of events) table.push([moment(at), kind, detail ?? '']);
  return table.toString();
}

function moment(date: Date | null): string {
  return date === null ? '-' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
