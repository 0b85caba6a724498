import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

const QUIET_MS = 1_000;
const MAX_DISCARDED_CHUNKS = 1_024;

/**
 * Answers while the body of the connection's last request is still arriving. Closing at once would reset the connection, and the caller
 * would lose the response (RFC 9112, section 9.6). So the rest of the body is read and discarded first, until it ends or stalls.
 */
export function lingerFor(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, socket } = request;
  void reply.header('Connection', 'close');
  // Node calls this method after the last response of a connection.
  socket.destroySoon = () => undefined;
  reply.raw.once('finish', () => {
    delete (socket as Partial<Socket>).destroySoon;
    let seenBytes = socket.bytesRead;
    const timer = setInterval(() => {
      if (socket.bytesRead === seenBytes) socket.destroy();
      seenBytes = socket.bytesRead;
    }, QUIET_MS).unref();
    socket.once('close', () => clearInterval(timer));
    const end = () => socket.end();
    // The rest may have arrived before the response was sent.
    if (raw.readableEnded) end();
    else raw.once('end', end).resume();
  });
}

/**
 * Discards the rest of a chunked body after its response, and ends the connection when the rest has too many chunks: a chunk of one
 * byte costs a hundred times more processor time to read than to send.
 */
export function discardChunks({ raw, socket }: FastifyRequest): void {
  let chunks = 0;
  raw.on('data', () => {
    chunks += 1;
    if (chunks !== MAX_DISCARDED_CHUNKS) return;
    // A paused request stops the reading of its socket. The timer gives the caller time to receive the response.
    raw.pause();
    socket.end();
    setTimeout(() => socket.destroy(), QUIET_MS).unref();
  });
}
