import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedServer } from './embedded-server.js';
import { DataDirInUseError, EmbeddedDatabaseError } from './embedded-database.errors.js';
import type { WorkerMessage, WorkerRequest, WorkerStart } from './worker-messages.js';

// A thread of its own, because PGlite runs a query without ever giving way: beside the HTTP service's
// handlers one long query would stop all of them.
const port = parentPort;
if (!port) throw new EmbeddedDatabaseError('the embedded database runs in a worker thread');

const tell = (message: WorkerMessage) => port.postMessage(message);

// Thrown outside of every promise, it ends the thread and reaches the main one as its 'error'.
const server = new EmbeddedServer(workerData as WorkerStart, (error) => {
  queueMicrotask(() => {
    throw error;
  });
});

port.on('message', (request: WorkerRequest) => {
  void server.close(request.graceMs).then(() => process.exit(0));
});

try {
  await server.start();
  tell({ kind: 'ready' });
} catch (error) {
  if (error instanceof DataDirInUseError) tell({ kind: 'in-use' });
  else {
    const known = error instanceof EmbeddedDatabaseError;
    tell({
      kind: 'failed',
      message: known ? error.message : String(error),
      cause: known ? error.cause : error,
    });
  }
  process.exit(0);
}
