import { parentPort, workerData } from 'node:worker_threads';
import { lockDirectory } from './directory.js';
import { keepHouse } from './housekeeping.js';
import { Multiplexer } from './multiplexer.js';
import { SharedBackend } from './shared-backend.js';
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
// An error that is thrown outside of every promise, or here, ends the thread and becomes the worker's 'error' event.
const fail = (error: unknown) => {
  queueMicrotask(() => {
    throw error;
  });
};

// Clients may connect at once; they wait until the database is open.
const multiplexer = new Multiplexer(fail);
const lock = await lockDirectory(directory, (socket) => multiplexer.accept(socket));
const database = await openStore(directory, settings).catch(async (error: unknown) => {
  multiplexer.dropAll('the database cannot be opened');
  await lock.release();
  throw error;
});
const { rows } = await database.query<{ server_version: string }>('SHOW server_version');
const backend = new SharedBackend(database, rows[0]?.server_version ?? '');
multiplexer.open(backend);
const stopHousekeeping = new AbortController();
const housekeeping = keepHouse(database, backend, stopHousekeeping.signal).catch(fail);

// The main thread's one message: how long to wait for clients before closing.
port.on('message', (graceMs: number) => {
  void close(graceMs).then(() => process.exit(0));
});
port.postMessage('ready');

/** Waits for clients, writes everything to disk, then unlocks the directory. */
async function close(graceMs: number): Promise<void> {
  await multiplexer.close(graceMs);
  await lock.unpublish();
  stopHousekeeping.abort();
  await housekeeping;
  await database.exec('CHECKPOINT');
  await database.close();
  await lock.release();
}
