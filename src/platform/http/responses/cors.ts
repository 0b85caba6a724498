import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ResponseHeader } from './response-headers.js';

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, DELETE',
  // A page with traces of its own sends traceparent and tracestate (W3C Trace Context). Prefer asks a sandbox for an error.
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, traceparent, tracestate, X-Request-Id',
  'Access-Control-Max-Age': '600',
};

/**
 * CORS for the named origins. @fastify/cors was considered: it answers preflights on a route of its own, which the guards do not protect.
 * Any other OPTIONS is a method like any unsupported one.
 */
export class Cors {
  private readonly exposed: string;

  /** `headers`: a page may read those that are not hidden. */
  constructor(
    private readonly origins: readonly string[],
    headers: readonly ResponseHeader[],
  ) {
    const shown = headers.filter(({ isHidden }) => !isHidden);
    this.exposed = shown.map(({ name }) => name).join(', ');
  }

  /** Lets a page of a named origin read the response. Returns whether the request is such a page's preflight, to be sent as it is. */
  apply({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
    if (this.origins.length === 0) return false;
    void reply.header('Vary', 'Origin');
    const { origin } = headers;
    if (origin === undefined || !this.origins.includes(origin)) return false;
    void reply
      .header('Access-Control-Allow-Origin', origin)
      .header('Access-Control-Expose-Headers', this.exposed);
    if (method !== 'OPTIONS' || !headers['access-control-request-method']) return false;
    void reply.code(204).headers(PREFLIGHT_HEADERS);
    return true;
  }
}
