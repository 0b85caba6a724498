import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseSettings, withParameters } from '../data-source.js';
import { DatabaseStartError, isDatabaseAway, isRefusedByServer } from '../database.errors.js';
import { FaultTolerantClient } from '../fault-tolerant-client.js';

const WAIT_FOR_SERVER_MS = 20_000;
const ATTEMPT_TIMEOUT_MS = 2_000;
const PAUSE_MS = 250;

// What the parameters of a connection do not make fit: the version, the encoding, and behind a pooler every setting.
const UNFIT_SETTINGS = `
  select name, setting, expected
  from (values
    ('server_version', '14 or later', '^(1[4-9]|[2-9][0-9])'),
    ('server_encoding', 'UTF8', '^(UTF8|SQL_ASCII)$'),
    ('DateStyle', 'ISO', '^ISO'),
    ('default_transaction_isolation', 'read committed', '^read (un)?committed$')
  ) as needed (name, expected, pattern), current_setting(name) as setting
  where setting !~ pattern`;

/**
 * Waits for a PostgreSQL server to answer, because containers start together. The embedded database needs no wait.
 *
 * @throws DatabaseStartError when the server does not answer within `WAIT_FOR_SERVER_MS`, refuses the service, is too old, or has a
 * setting with which values would be lost or requests fail.
 */
export async function waitForServer({ url, migrationUrl }: DatabaseSettings): Promise<void> {
  if (url === undefined) return;
  const variable = url === migrationUrl ? 'DATABASE_MIGRATION_URL' : 'DATABASE_URL';
  const deadlineMs = performance.now() + WAIT_FOR_SERVER_MS;
  for (;;) {
    try {
      await checkServer(url);
      return;
    } catch (error) {
      if (error instanceof DatabaseStartError) throw error;
      if (isRefusedByServer(error) || !isDatabaseAway(error))
        throw startError(`at ${variable} refuses the service`, error);
      if (performance.now() + PAUSE_MS > deadlineMs) {
        throw startError(
          `at ${variable} did not answer within ${String(WAIT_FOR_SERVER_MS / 1000)} s`,
          error,
        );
      }
    }
    await pause(PAUSE_MS);
  }
}

async function checkServer(url: string): Promise<void> {
  const client = new FaultTolerantClient({
    ...withParameters(url),
    connectionTimeoutMillis: ATTEMPT_TIMEOUT_MS,
    query_timeout: ATTEMPT_TIMEOUT_MS,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string; expected: string }>(UNFIT_SETTINGS);
    const [unfit] = rows;
    if (unfit) {
      const { name, setting, expected } = unfit;
      throw new DatabaseStartError(
        `The database has ${name} = '${setting}': the service needs '${expected}'.`,
      );
    }
  } finally {
    // Nothing waits for the server's side, which a server that falls silent never closes.
    void client.end();
  }
}

/** The service cannot start, because the database `what`. Messages of `pg` contain no password. */
export function startError(what: string, cause: unknown): DatabaseStartError {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const reason = first instanceof Error ? first.message : String(first);
  return new DatabaseStartError(`The database ${what}: ${reason}`, { cause });
}
