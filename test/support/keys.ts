import { randomUUID } from 'node:crypto';
import { displayPrefix, generateApiKey, hashApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { onDatabase, type Env } from './databases.js';

/** The default is an enterprise key with limits that no test file reaches. */
export interface KeyOptions {
  name?: string;
  plan?: 'free' | 'pro' | 'business';
  perMinute?: number;
  perDay?: number;
  access?: 'read' | 'order' | 'manage' | 'admin';
  expiresInMs?: number;
  revoked?: boolean;
}

export interface IssuedKey {
  id: string;
  key: string;
}

/** Writes keys into the database, because the command line takes half a second for each. */
export async function issueKeys(
  database: { env: Env },
  count: number,
  options: KeyOptions = {},
): Promise<IssuedKey[]> {
  const { name = 'test', plan, access = 'manage', expiresInMs, revoked = false } = options;
  const { perMinute = 1_000_000, perDay = 1_000_000_000 } = options;
  const issued = Array.from({ length: count }, () => ({ id: randomUUID(), key: generateApiKey() }));
  await onDatabase(
    database,
    `with issued as (
        insert into api_keys (id, name, plan, per_minute, per_day, access, expires_at, revoked_at, prefix)
        select id, $1, $2, $3, $4, $5, now() + $6 * interval '1 ms', case when $7 then now() end, prefix
        from unnest($8::uuid[], $9::text[]) as given (id, prefix)
        returning id
      ), secrets as (
        insert into key_secrets (key_id, prefix, hash) select * from unnest($8::uuid[], $9::text[], $10::bytea[])
      )
      insert into key_events (key_id, kind, actor) select id, 'created', 'command' from issued`,
    [
      ...[name, plan ?? 'enterprise', plan ? null : perMinute, plan ? null : perDay],
      ...[access, expiresInMs ?? null, revoked],
      issued.map(({ id }) => id),
      issued.map(({ key }) => displayPrefix(key)),
      issued.map(({ key }) => hashApiKey(key)),
    ],
  );
  return issued;
}
