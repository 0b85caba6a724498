import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DirectoryInUseError,
  PgliteServerError,
  startPgliteServer,
  type PgliteServer,
} from 'animal-store-pglite-server';

/** A command owns the directory for a second or two, and another process that needs it waits. */
const WAIT_MS = 4_000;
const RETRY_MS = 50;
/** An owner that has just started accepts clients and makes them wait until its database is open. */
const CONNECT_TIMEOUT_MS = 10_000;

/** PGlite in `DATA_DIR`, on a UNIX socket there: the database that is used without `DATABASE_URL`. */
export type EmbeddedDatabase = PgliteServer;

/**
 * Opens the embedded database as its owner, for the service.
 * @throws Error, with one line for the operator, when it cannot be opened, or when another service owns the directory
 */
export function openEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  return whileInUse(() => start(dataDir));
}

/**
 * Reaches the embedded database for a command: through the socket of the process that runs it, or by opening it.
 * @throws Error, with one line for the operator, when neither works
 */
export function reachEmbeddedDatabase(dataDir: string): Promise<Pick<EmbeddedDatabase, 'close'>> {
  return whileInUse(async () => (await connectToOwner(dataDir)) ?? (await start(dataDir)));
}

/** Whether the directory holds a database. */
export const hasEmbeddedDatabase = (dataDir: string): boolean => existsSync(join(dataDir, 'pgdata'));

function start(dataDir: string): Promise<EmbeddedDatabase> {
  // As on a server: one good plan for every statement (docs/decisions/0044).
  return startPgliteServer(dataDir, { plan_cache_mode: 'force_generic_plan' });
}

/** A connection that is held while the command runs, because a short-lived owner waits for its clients before it closes. */
async function connectToOwner(dataDir: string): Promise<Pick<EmbeddedDatabase, 'close'> | undefined> {
  // Imported here, so that the service opens its database before it loads the driver.
  const { FaultTolerantClient } = await import('../connections/fault-tolerant-client.js');
  const host = resolve(dataDir);
  const settings = { host, port: 5432, user: 'postgres', database: 'postgres', ssl: false };
  const client = new FaultTolerantClient({ ...settings, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  return client.connect().then(
    () => ({ close: () => client.end() }),
    () => undefined,
  );
}

/** Repeats `open` for a moment when the directory is in use, because another command may be about to leave. */
async function whileInUse<Result>(open: () => Promise<Result>): Promise<Result> {
  let deadlineMs = Infinity;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PgliteServerError)) throw error;
      // Counted from the first refusal: how long the attempt itself took says nothing about the owner.
      deadlineMs = Math.min(deadlineMs, performance.now() + WAIT_MS);
      if (!(error instanceof DirectoryInUseError) || performance.now() > deadlineMs)
        throw new Error(`DATA_DIR ${error.message}`, { cause: error });
    }
    await pause(RETRY_MS);
  }
}
