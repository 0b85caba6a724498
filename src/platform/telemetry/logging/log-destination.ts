import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pino, stdTimeFunctions, type DestinationStream } from 'pino';

/** What waits for a reader that is behind. Further lines are dropped, because the service must not wait for whoever reads its log. */
const MAX_WAITING_BYTES = 1_048_576;
/** How long a stop waits for the reader. */
const FLUSH_TIMEOUT_MS = 1_000;

/** How many lines this process has dropped: no process read them, or they could not be written. */
export const droppedLines = { count: 0 };

/** The destination of the log's lines: a pipe or a socket does not block, a file is written at once. */
export function logDestination(stream: NodeJS.WritableStream & { fd: number }): DestinationStream {
  return stream instanceof Socket ? pipeDestination(stream) : fileDestination(stream.fd);
}

/** Drops lines while the reader is behind. Once it has read what waits, one line says how many are missing. */
export function pipeDestination(stream: Writable): DestinationStream {
  let missing = 0;
  const drop = () => {
    droppedLines.count += 1;
    missing += 1;
  };
  const say = sayOnce();
  stream
    .on('drain', () => {
      if (missing === 0) return;
      const time = stdTimeFunctions.isoTime().slice(',"time":'.length);
      const lines = missing;
      missing = 0;
      stream.write(
        `{"level":"warn","time":${time},"lines":${lines},"msg":"dropped lines of the log that were not read"}\n`,
      );
    })
    // The reader has gone.
    .on('error', say);
  return {
    write: (line) => {
      if (!stream.writable || stream.writableLength > MAX_WAITING_BYTES) drop();
      else stream.write(line);
    },
  };
}

/** Drops a line that cannot be written, as on a full disk, because the log must not end the service. */
function fileDestination(fd: number): DestinationStream {
  const say = sayOnce();
  // A stream that has failed keeps its lines, and its flush after a fatal line never ends; so the next line gets a new stream.
  const open = () =>
    pino.destination({ fd, sync: true }).on('error', (error: Error) => {
      stream = open();
      droppedLines.count += 1;
      say(error);
    });
  let stream = open();
  return { write: (line) => stream.write(line) };
}

/** Says on stderr that the log cannot be written, the first time. */
function sayOnce(): (error: Error) => void {
  let hasFailed = false;
  return ({ message }) => {
    if (!hasFailed) process.stderr.write(`The log cannot be written: ${message}\n`);
    hasFailed = true;
  };
}

/** Waits for a moment until the last lines are read, before the process ends. */
export async function flushLog({ writableLength }: NodeJS.WriteStream = process.stdout): Promise<void> {
  if (writableLength === 0) return;
  const read = new Promise((resolve) => process.stdout.once('drain', resolve));
  await Promise.race([read, pause(FLUSH_TIMEOUT_MS)]);
}
