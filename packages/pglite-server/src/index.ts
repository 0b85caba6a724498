import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { prepareDirectory } from './directory.js';
import { DirectoryInUseError, PgliteServerError } from './errors.js';
import type { WorkerStart } from './worker.js';

export { DirectoryInUseError, PgliteServerError };

// PostgreSQL refuses a query that is nested too deeply at 2 MB of its own stack. With a thread's default of 4 MB,
// JavaScript's limit comes first, in the middle of PostgreSQL's work, and the database is lost.
const STACK_MB = 16;
// Responses are short-lived; with V8's default their garbage reaches 50 MB before it is collected.
const YOUNG_GENERATION_MB = 4;
/** How long `close` waits for clients that are still connected before it drops them. */
const CLOSE_GRACE_MS = 2_000;
/** How much longer `close` waits for a query that is still running. */
const LAST_QUERY_MS = 5_000;

/** A PostgreSQL in this process; clients connect with `new pg.Client({ host: directory, user: 'postgres' })`. */
export interface PgliteServer {
  /** The absolute path of the directory that holds the socket. */
  readonly directory: string;
  /** Resolves when the database is lost while it should be running; never rejects. */
  readonly failed: Promise<PgliteServerError>;
  /**
   * Writes everything to disk and unlocks the directory.
   * @throws PgliteServerError when not everything could be written, for instance to a full disk
   */
  close(): Promise<void>;
}

/**
 * Opens the database in the directory, or creates a new one there, and serves it on a UNIX socket.
 * @param settings PostgreSQL's configuration for all clients, in addition to this package's own
 * @throws DirectoryInUseError when another process owns the directory
 * @throws PgliteServerError when the database cannot be opened
 */
export async function startPgliteServer(
  path: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgliteServer> {
  const directory = prepareDirectory(path);
  // Keeps V8 from compiling PGlite a second time for speed, which takes hundreds of megabytes and slows the start.
  // The flag --liftoff-only has no effect in a running process; these two do what it implies.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  const start: WorkerStart = { directory, settings };
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: start,
    // Node before 24.21 warns of node:sqlite, which holds the lock of the directory.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { stackSizeMb: STACK_MB, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  // `once` rejects when the thread fails.
  const ended = once(worker, 'exit').then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  await ready(worker, directory, ended);

  let closing: Promise<void> | undefined;
  return {
    directory,
    failed: new Promise((resolve) => {
      void ended.then((cause) => {
        if (!closing)
          resolve(new PgliteServerError(directory, 'holds a database that has stopped', { cause }));
      });
    }),
    close: () => (closing ??= close(worker, directory, ended)),
  };
}

/**
 * The database of the directory as SQL, as `pg_dump` writes it; `psql` restores it into an empty database of a PostgreSQL server. It is
 * held in memory. PGlite is loaded into this thread only for this.
 *
 * @throws DirectoryInUseError when another process owns the directory
 * @throws PgliteServerError when it holds no database, or one that cannot be opened
 */
export async function dumpDatabase(path: string): Promise<Blob> {
  const { dump } = await import('./dump.js');
  return await dump(path);
}

async function ready(worker: Worker, directory: string, ended: Promise<Error | undefined>): Promise<void> {
  const cause = await Promise.race([
    new Promise<undefined>((resolve) => worker.once('message', () => resolve(undefined))),
    // An error loses its class between threads, and keeps its properties.
    ended.then((error): Partial<PgliteServerError> => error ?? new Error('its thread has ended')),
  ]);
  if (!cause) return;
  if (cause.name === 'DirectoryInUseError') throw new DirectoryInUseError(directory);
  const [line] = String(cause.message).split('\n', 1);
  const reason = cause.reason ?? `holds a database that cannot be opened: ${line}`;
  throw new PgliteServerError(directory, reason, { cause });
}

async function close(worker: Worker, directory: string, ended: Promise<Error | undefined>): Promise<void> {
  worker.postMessage(CLOSE_GRACE_MS);
  // A running query cannot be cancelled from here. The database recovers when it is opened after a termination.
  const timer = setTimeout(() => void worker.terminate(), CLOSE_GRACE_MS + LAST_QUERY_MS);
  const cause = await ended;
  clearTimeout(timer);
  if (cause) {
    const reason = `holds a database that could not be closed: ${cause.message}`;
    throw new PgliteServerError(directory, reason, { cause });
  }
}
