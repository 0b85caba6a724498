import type { PGlite } from '@electric-sql/pglite';
import { parentPort, workerData } from 'node:worker_threads';
import { type DirectoryLock, lockDirectory } from './directory.js';
import { Housekeeping } from './housekeeping.js';
import { Multiplexer } from './multiplexer.js';
import { openStore } from './store.js';

/** What the main thread starts the worker with. */
export interface WorkerStart {
  /** Absolute. */
  directory: string;
  settings: Readonly<Record<string, string>>;
}

// PGlite runs in a thread of its own, because it blocks its thread for as long as a query takes.
const port = parentPort;
if (!port) throw new Error('this file is the code of a worker thread');

const { directory, settings } = workerData as WorkerStart;
// Thrown outside of every promise, the error ends the thread and becomes the worker's 'error' event.
const fail = (error: unknown) => {
  queueMicrotask(() => {
    throw error;
  });
};
const multiplexer = new Multiplexer(fail);
let lock: DirectoryLock | undefined;
let database: PGlite | undefined;
let housekeeping: Housekeeping | undefined;

// The main thread's one message: how long to wait for clients before closing.
port.on('message', (graceMs: number) => {
  void close(graceMs).then(() => process.exit(0));
});

// An error here ends the thread; the main thread gets it as the event `error`.
await open();
port.postMessage('ready');

/** Locks the directory, opens the database, then serves the clients that wait. */
async function open(): Promise<void> {
  lock = await lockDirectory(directory, (socket) => multiplexer.accept(socket));
  try {
    database = await openStore(directory, settings);
  } catch (error) {
    multiplexer.dropAll('the database cannot be opened');
    await lock.release();
    throw error;
  }
  const { rows } = await database.query<{ server_version: string }>('SHOW server_version');
  const backend = multiplexer.open(database, rows[0]?.server_version ?? '');
  housekeeping = new Housekeeping(database, backend, fail);
  housekeeping.start();
}

/** Waits for clients, writes everything to disk, then unlocks the directory. */
async function close(graceMs: number): Promise<void> {
  await multiplexer.close(graceMs);
  await lock?.unpublish();
  await housekeeping?.stop();
  await database?.exec('CHECKPOINT');
  await database?.close();
  await lock?.release();
}
