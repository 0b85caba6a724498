import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DirectoryInUseError, PgliteServerError, startPgliteServer } from 'animal-store-pglite-server';

/** A command owns the directory for a second or two; a service that starts meanwhile waits for it. */
const OWNER_WAIT_MS = 4_000;
const COMMAND_WAIT_MS = 2_000;
const RETRY_MS = 50;
/** An owner that has just started accepts clients and makes them wait until its database is open. */
const CONNECT_TIMEOUT_MS = 10_000;

/** PGlite in `DATA_DIR`, on a UNIX socket there: the database that is used without `DATABASE_URL`. */
export interface EmbeddedDatabase {
  /** Resolves when the database is lost while it should be running; never rejects. */
  readonly failed: Promise<Error>;
  /** @throws Error, with one line for the operator, when not everything could be written to disk */
  close(): Promise<void>;
}

/**
 * Opens the embedded database as its owner, for the service.
 * @throws Error, with one line for the operator, when it cannot be opened, or when another service owns the directory
 */
export async function openEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  return await whileInUse(dataDir, OWNER_WAIT_MS, () => start(dataDir));
}

/**
 * Reaches the embedded database for a command: through the socket of the process that runs it, or by opening it.
 * @throws Error, with one line for the operator, when neither works
 */
export async function reachEmbeddedDatabase(dataDir: string): Promise<Pick<EmbeddedDatabase, 'close'>> {
  return await whileInUse(
    dataDir,
    COMMAND_WAIT_MS,
    async () => (await connectToOwner(dataDir)) ?? (await start(dataDir)),
  );
}

async function start(dataDir: string): Promise<EmbeddedDatabase> {
  // As on a server: one good plan for every statement (docs/decisions/0044).
  const server = await startPgliteServer(dataDir, { plan_cache_mode: 'force_generic_plan' });
  return {
    failed: server.failed.then((error) => forOperator(dataDir, error)),
    close: () =>
      server.close().catch((error: unknown) => {
        throw forOperator(dataDir, error);
      }),
  };
}

/** A connection that is held while the command runs, because a short-lived owner waits for its clients before it closes. */
async function connectToOwner(dataDir: string): Promise<Pick<EmbeddedDatabase, 'close'> | undefined> {
  // Imported here, so that the service opens its database before it loads the driver.
  const { FaultTolerantClient } = await import('./fault-tolerant-client.js');
  const host = resolve(dataDir);
  const settings = { host, port: 5432, user: 'postgres', database: 'postgres', ssl: false };
  const client = new FaultTolerantClient({ ...settings, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
  } catch {
    return undefined;
  }
  return { close: () => client.end() };
}

/** Repeats `open` for a moment when the directory is in use, because another command may be about to leave. */
async function whileInUse<Result>(
  dataDir: string,
  waitMs: number,
  open: () => Promise<Result>,
): Promise<Result> {
  let deadlineMs: number | undefined;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      // Counted from the first refusal: how long the attempt itself took says nothing about the owner.
      deadlineMs ??= performance.now() + waitMs;
      if (!(error instanceof DirectoryInUseError) || performance.now() > deadlineMs) {
        throw forOperator(dataDir, error);
      }
    }
    await pause(RETRY_MS);
  }
}

function forOperator(dataDir: string, error: unknown): Error {
  if (error instanceof PgliteServerError) {
    return new Error(`DATA_DIR ${dataDir} ${error.reason}`, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
}
