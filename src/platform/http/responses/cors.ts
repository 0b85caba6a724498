import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';
import type { ResponseHeader } from './response-headers.js';

const ALLOWED_REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  // A page with traces of its own sends these (W3C Trace Context).
  'traceparent',
  'tracestate',
  'X-Request-Id',
];
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Options for @fastify/cors: the named origins only, and a preflight only where a browser would send one.
 * Any other OPTIONS is a method like any unsupported one. `headers`: a page may read those that are not hidden.
 */
export function corsOptions(
  origins: readonly string[],
  headers: readonly ResponseHeader[],
): FastifyCorsOptions {
  const allowed: FastifyCorsOptions = {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ALLOWED_REQUEST_HEADERS,
    exposedHeaders: headers.filter(({ isHidden }) => !isHidden).map(({ name }) => name),
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
  };
  const withoutPreflight: FastifyCorsOptions = { ...allowed, preflight: false };
  return {
    delegator: (request, callback) => {
      callback(null, isAllowedPreflight(request, origins) ? allowed : withoutPreflight);
    },
  };
}

/** Whether the request is a preflight from an allowed origin. */
export function isAllowedPreflight(request: FastifyRequest, origins: readonly string[]): boolean {
  const { origin } = request.headers;
  return (
    request.method === 'OPTIONS' &&
    Boolean(request.headers['access-control-request-method']) &&
    origin !== undefined &&
    origins.includes(origin)
  );
}
