import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The status that nginx logs for a connection that closed before its response. It is never sent. */
const CLOSED_BEFORE_RESPONSE = 499;

/** Calls `callback` once for each request, when its response is sent or its connection has closed before. */
export function onRequestEnd(
  fastify: FastifyInstance,
  callback: (request: FastifyRequest, reply: FastifyReply, status: number) => void,
): void {
  const ended = new WeakSet<FastifyRequest>();
  fastify.addHook('onResponse', (request, reply, done) => {
    ended.add(request);
    callback(request, reply, reply.statusCode);
    done();
  });
  // Fastify's onResponse does not run for a response to a closed connection. A preflight never gets here: it is answered before.
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (ended.has(request)) return;
      callback(request, reply, reply.raw.headersSent ? reply.statusCode : CLOSED_BEFORE_RESPONSE);
    });
    done();
  });
}
