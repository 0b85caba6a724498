import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseSettings } from './data-source.js';
import { DatabaseStartError, isDatabaseAway, isRefusedByServer } from './database.errors.js';
import { FaultTolerantClient } from './fault-tolerant-client.js';

const OLDEST_SERVER_VERSION = 140_000;
const WAIT_FOR_SERVER_MS = 20_000;
const ATTEMPT_TIMEOUT_MS = 2_000;
const PAUSE_MS = 250;
const WATCH_EVERY_MS = 2_000;

/**
 * Waits for a PostgreSQL server to answer, because containers start together. The embedded database needs no wait.
 *
 * @throws DatabaseStartError when the server does not answer within `WAIT_FOR_SERVER_MS`, refuses the service, or is too old.
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

/**
 * Waits for work of any duration, such as a migration, as long as the server answers meanwhile.
 *
 * @throws DatabaseStartError when the server has not answered for `WAIT_FOR_SERVER_MS`.
 */
export async function whileServerAnswers<Result>(
  settings: DatabaseSettings,
  work: Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const watch = async (): Promise<never> => {
    for (;;) {
      await pause(WATCH_EVERY_MS, undefined, { ref: false, signal: end.signal });
      await waitForServer(settings);
    }
  };
  try {
    return await Promise.race([work, watch()]);
  } finally {
    end.abort();
  }
}

async function checkServer(url: string): Promise<void> {
  const client = new FaultTolerantClient({
    connectionString: url,
    connectionTimeoutMillis: ATTEMPT_TIMEOUT_MS,
    query_timeout: ATTEMPT_TIMEOUT_MS,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    const version = rows[0]?.version ?? 0;
    if (version < OLDEST_SERVER_VERSION) {
      throw new DatabaseStartError(
        `The database is PostgreSQL ${String(Math.floor(version / 10_000))}; version 14 or later is needed.`,
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
