import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { compileOnce } from './compile-once.js';
import { prepareDataDir, resolveDataDir, SOCKET_NAME } from './data-dir.js';
import { DataDirInUseError, EmbeddedDatabaseError } from './embedded-database.errors.js';
import { joinAsClient } from './socket-probe.js';
import type { WorkerMessage, WorkerRequest, WorkerStart } from './worker-messages.js';

// PostgreSQL refuses a query nested too deeply at 2 MB of its own stack. At a thread's usual 4 MB JavaScript's
// limit is met first, in the middle of PostgreSQL's work, and the database is lost.
const STACK_MB = 16;
// Answers are short-lived; at V8's usual size their garbage alone comes to 50 MB before it is collected.
const YOUNG_GENERATION_MB = 4;
/** How long `close` waits for clients that are still connected before it drops them. */
const CLOSE_GRACE_MS = 2000;
// An owner that has just started makes its clients wait until its database is open.
const ANSWER_MS = 10_000;
// How much longer than its clients' grace `close` waits for a query that is still running.
const LAST_QUERY_MS = 5_000;
const RETRY_FOR_MS = 2000;
const RETRY_EVERY_MS = 50;

/** A PostgreSQL in this process, reached like any other: `new Pool({ host: socketDir, user: 'postgres' })`. */
export interface EmbeddedDatabase {
  /** Absolute path of the directory that holds the socket; `pg` takes it as `host`. */
  readonly socketDir: string;
  /** Resolves, and never rejects, when the database is lost while it should be running. */
  readonly failed: Promise<Error>;
  /** Writes everything out and gives the directory back. */
  close(): Promise<void>;
}

/** Opens the database in the directory, creating it first where there is none; throws `EmbeddedDatabaseError`. */
export async function startEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  const dir = prepareDataDir(dataDir);
  compileOnce();
  const start: WorkerStart = { dir, dataDir };
  const worker = new Worker(workerUrl(), {
    workerData: start,
    resourceLimits: { stackSizeMb: STACK_MB, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  const crashed = new Promise<Error>((resolve) => worker.once('error', (error) => resolve(asError(error))));
  await started(worker, dataDir, exited, crashed);

  let closing: Promise<void> | undefined;
  return {
    socketDir: dir,
    failed: new Promise((resolve) => {
      const lost = (cause: unknown) => {
        const message = `the embedded database in DATA_DIR ${dataDir} has stopped`;
        if (!closing) resolve(new EmbeddedDatabaseError(message, { cause }));
      };
      void crashed.then(lost);
      void exited.then(lost);
    }),
    close: () => (closing ??= close(worker, dataDir, exited, crashed)),
  };
}

/**
 * The database in the directory, whoever runs it: through the socket of the process that does, otherwise by
 * opening it. Another short command may come or go in between, so both are tried for a moment.
 */
export async function reachEmbeddedDatabase(
  dataDir: string,
): Promise<Pick<EmbeddedDatabase, 'socketDir' | 'close'>> {
  const socketDir = resolveDataDir(dataDir);
  let giveUpAtMs: number | undefined;
  for (;;) {
    // Held for as long as the command runs: the owner, if it is short-lived too, waits for its clients.
    const held = await joinAsClient(join(socketDir, SOCKET_NAME), ANSWER_MS);
    if (held) {
      const close = () => {
        held.destroy();
        return Promise.resolve();
      };
      return { socketDir, close };
    }
    try {
      return await startEmbeddedDatabase(dataDir);
    } catch (error) {
      if (!(error instanceof DataDirInUseError)) throw error;
      // Counted from the first refusal: how long the attempt itself took says nothing about the owner.
      giveUpAtMs ??= performance.now() + RETRY_FOR_MS;
      if (performance.now() > giveUpAtMs) throw error;
    }
    await pause(RETRY_EVERY_MS);
  }
}

/** A thread runs JavaScript only: started from the sources, it is the built one that is run. */
function workerUrl(): URL {
  const here = import.meta.url.endsWith('.ts')
    ? import.meta.url.replace('/src/database/', '/dist/database/')
    : import.meta.url;
  return new URL('./embedded-database.worker.js', here);
}

async function started(
  worker: Worker,
  dataDir: string,
  exited: Promise<number>,
  crashed: Promise<Error>,
): Promise<void> {
  const message = await Promise.race([
    new Promise<WorkerMessage>((resolve) => worker.once('message', resolve)),
    crashed.then((cause): WorkerMessage => ({ kind: 'failed', message: cause.message, cause })),
    exited.then((code): WorkerMessage => ({ kind: 'failed', message: `its thread ended with code ${code}` })),
  ]);
  if (message.kind === 'ready') return;
  await exited;
  if (message.kind === 'in-use') throw new DataDirInUseError(dataDir);
  throw new EmbeddedDatabaseError(message.message, { cause: message.cause });
}

/** Raises EmbeddedDatabaseError when not everything could be written out: a full disk, say. */
async function close(
  worker: Worker,
  dataDir: string,
  exited: Promise<number>,
  crashed: Promise<Error>,
): Promise<void> {
  const request: WorkerRequest = { kind: 'close', graceMs: CLOSE_GRACE_MS };
  worker.postMessage(request);
  // A query that goes on cannot be cancelled from outside; killed, the database recovers when it is next opened.
  const timer = setTimeout(() => void worker.terminate(), CLOSE_GRACE_MS + LAST_QUERY_MS);
  const cause = await Promise.race([crashed, exited.then(() => undefined)]);
  clearTimeout(timer);
  if (cause) {
    const message = `the embedded database in DATA_DIR ${dataDir} could not be closed: ${cause.message}`;
    throw new EmbeddedDatabaseError(message, { cause });
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
