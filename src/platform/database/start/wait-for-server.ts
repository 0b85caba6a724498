import { setTimeout as pause } from 'node:timers/promises';
import { sqlStateOf } from '../../common/errors/database-errors.js';
import type { DatabaseServer } from '../../config/database-server.js';
import { type DatabaseSettings, withParameters } from '../data-source.js';
import { FaultTolerantClient } from '../connections/fault-tolerant-client.js';

const WAIT_FOR_SERVER_MS = 20_000;
const ATTEMPT_TIMEOUT_MS = 2_000;
const PAUSE_MS = 250;

/** Node's codes for a server that is not there yet. */
const NOT_THERE = /^(?:ECONN|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_AGAIN)/;
const NO_ANSWER = /Connection terminated|timeout expired|Query read timeout/;

// What the parameters of a connection do not make fit: the version, the encoding, and behind a pooler every setting.
const UNFIT_SETTINGS = `
  select name, setting, expected
  from (values
    ('server_version', '14 or later', '^(1[4-9]|[2-9][0-9])'),
    ('server_encoding', 'UTF8', '^UTF8$'),
    ('DateStyle', 'ISO', '^ISO'),
    ('default_transaction_isolation', 'read committed', '^read (un)?committed$')
  ) as needed (name, expected, pattern), current_setting(name) as setting
  where setting !~ pattern`;

interface UnfitSetting {
  name: string;
  setting: string;
  expected: string;
}

/**
 * Waits for a PostgreSQL server to answer, because containers start together. The embedded database needs no wait.
 *
 * @throws Error, with one line for the operator, when the server does not answer within `WAIT_FOR_SERVER_MS`, refuses the service, is
 * too old, or has a setting with which values would be lost or requests fail.
 */
export async function waitForServer(settings: DatabaseSettings): Promise<void> {
  const { server } = settings;
  if (server === undefined) return;
  const unfit = await firstAnswer(server, databaseInWords(settings));
  if (!unfit) return;
  const { name, setting, expected } = unfit;
  throw new Error(
    `The database ${databaseInWords(settings)} has ${name} = '${setting}': the service needs '${expected}'.`,
  );
}

/** The setting that names the database, for a message. */
export function databaseInWords({ server, migrationServer, dataDir }: DatabaseSettings): string {
  if (server === undefined) return `in DATA_DIR ${dataDir}`;
  return `at ${server === migrationServer ? 'DATABASE_MIGRATION_URL' : 'DATABASE_URL'}`;
}

async function firstAnswer(server: DatabaseServer, place: string): Promise<UnfitSetting | undefined> {
  const deadlineMs = performance.now() + WAIT_FOR_SERVER_MS;
  for (;;) {
    try {
      return await unfitSetting(server);
    } catch (error) {
      if (!isServerStarting(error)) throw startError(`${place} refuses the service`, error);
      if (performance.now() + PAUSE_MS > deadlineMs)
        throw startError(`${place} did not answer within ${WAIT_FOR_SERVER_MS / 1_000} s`, error);
    }
    await pause(PAUSE_MS);
  }
}

async function unfitSetting(server: DatabaseServer): Promise<UnfitSetting | undefined> {
  const client = new FaultTolerantClient({
    ...withParameters(server),
    connectionTimeoutMillis: ATTEMPT_TIMEOUT_MS,
    query_timeout: ATTEMPT_TIMEOUT_MS,
  });
  await client.connect();
  try {
    return (await client.query<UnfitSetting>(UNFIT_SETTINGS)).rows[0];
  } finally {
    // Nothing waits for the server's side, which a server that falls silent never closes.
    void client.end();
  }
}

/** The service cannot start, because the database `what`. Messages of `pg` contain no password. */
export function startError(what: string, cause: unknown): Error {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const reason = first instanceof Error ? first.message : String(first);
  return new Error(`The database ${what}: ${reason}`, { cause });
}

/**
 * Whether a start waits for the server, because containers start together. Anything else that fails while a connection is opened (rights,
 * password, TLS and its files) does not end by itself.
 */
function isServerStarting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isServerStarting);
  if (!(error instanceof Error)) return false;
  const sqlState = sqlStateOf(error);
  if (sqlState !== '') return /^(?:08(?!P01)|53|57)/.test(sqlState);
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  return (NOT_THERE.test(code) && syscall !== 'open') || NO_ANSWER.test(message);
}
