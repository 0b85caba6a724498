import type { FastifyReply, FastifyRequest } from 'fastify';

const QUIET_MS = 1_000;

/**
 * Answers while a body is still coming. Closing the connection then would reset it, and the caller would lose the
 * answer (RFC 9112, section 9.6). So the rest of the body is read and thrown away first, for as long as some comes.
 */
export function lingerFor(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, socket } = request;
  const isLast = raw.headers.connection?.toLowerCase() === 'close' || raw.httpVersion === '1.0';
  if (reply.hasHeader('Connection')) void reply.removeHeader('Connection');
  reply.raw.shouldKeepAlive = true;
  reply.raw.once('finish', () => {
    // The connection may live on, and must not keep what belongs to a request.
    const stop = () => {
      clearInterval(timer);
      socket.off('close', stop);
    };
    const end = () => {
      stop();
      if (isLast) socket.end();
    };
    let seenBytes = socket.bytesRead;
    const timer = setInterval(() => {
      if (socket.bytesRead === seenBytes) socket.destroy();
      seenBytes = socket.bytesRead;
    }, QUIET_MS).unref();
    socket.on('close', stop);
    // The rest may have come before the answer was out.
    if (raw.readableEnded) end();
    else raw.once('end', end).resume();
  });
}
