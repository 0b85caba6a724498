import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyRequest } from 'fastify';

/** The response headers that a page of another origin may read, in addition to the safelisted ones. */
const EXPOSED_HEADERS = [
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'X-Next-Cursor',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Stability',
];
const ALLOWED_REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Request-Id',
];
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Options for @fastify/cors: the named origins only, and a preflight only where a browser would send one.
 * Any other OPTIONS is a method like any unsupported one.
 */
export function corsOptions(origins: readonly string[]): FastifyCorsOptions {
  const allowed: FastifyCorsOptions = {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ALLOWED_REQUEST_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
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
