import type { Writable } from 'node:stream';

/** Sends what is written to a socket in this turn of the event loop in one write: each write is a call of the kernel. */
export function corkUntilTurnEnds(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
