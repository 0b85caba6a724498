import { randomUUID } from 'node:crypto';
import { displayPrefix, generateApiKey, hashApiKey } from '../../src/auth/api-key-format.js';
import { onDatabase, type TestDatabase } from './databases.js';

interface KeyColumns {
  readOnly?: boolean;
  revoked?: boolean;
}

/**
 * Writes many keys into the database at once, for tests that the command line would keep waiting for minutes.
 * They are of the plan Enterprise, and their day has less room than their minute: it is the window that answers show.
 */
export async function insertKeys(
  database: TestDatabase,
  count: number,
  { readOnly = false, revoked = false }: KeyColumns = {},
): Promise<string[]> {
  const keys = Array.from({ length: count }, generateApiKey);
  const rows = keys.map((key) =>
    [
      `'${randomUUID()}', 'test', 'enterprise', 2000000, ${INSERTED_PER_DAY}, ${readOnly}`,
      `'${displayPrefix(key)}', '\\x${hashApiKey(key).toString('hex')}', ${revoked ? 'now()' : 'null'}`,
    ].join(', '),
  );
  const columns = 'id, name, plan, per_minute, per_day, read_only, prefix, secret_hash, revoked_at';
  await onDatabase(database, `insert into api_keys (${columns}) values (${rows.join('), (')})`);
  return keys;
}

/** What a day holds for a key of insertKeys; not what an address has, so that answers tell who was charged. */
export const INSERTED_PER_DAY = 900_000;
