import type { FastifyReply, FastifyRequest } from 'fastify';

/** The status that nginx logs for a connection that closed before its response. It is never sent. */
const CLOSED_BEFORE_RESPONSE = 499;

/** How a request ended. */
export interface RequestEnd {
  status: number;
  /** From the arrival of the request to the end of its response or of its connection. */
  durationMs: number;
}

/** Tells log, metrics and traces once for each request that its response is sent or its connection has closed before. */
export class RequestEnds {
  private readonly listeners: ((request: FastifyRequest, end: RequestEnd) => void)[] = [];

  listen(listener: (request: FastifyRequest, end: RequestEnd) => void): void {
    this.listeners.push(listener);
  }

  /** To be called by the first hook, because a preflight reaches no other. */
  watch(request: FastifyRequest, reply: FastifyReply): void {
    if (this.listeners.length === 0) return;
    const startedMs = performance.now();
    // Node emits `close` once, after `finish` too. Fastify's onResponse does not run for a response to a closed connection.
    reply.raw.on('close', () => {
      const status = reply.raw.headersSent ? reply.statusCode : CLOSED_BEFORE_RESPONSE;
      const end = { status, durationMs: performance.now() - startedMs };
      for (const listener of this.listeners) listener(request, end);
    });
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method as a label with few values, because a caller may send any word. */
export function methodLabel({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : 'other';
}

/** The route that takes unmatched requests. */
const FALLBACK_URL = '/*';

/** The route's pattern, never the path, because a path may hold anything. Undefined for an unmatched request. */
export function routeLabel(request: FastifyRequest): string | undefined {
  const { url } = request.routeOptions;
  return url === FALLBACK_URL ? undefined : url;
}
