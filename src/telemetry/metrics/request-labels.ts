import type { FastifyRequest } from 'fastify';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The method as a label with few values, because a caller may send any word. */
export function methodLabel({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : 'other';
}

/** The route that takes unmatched requests. */
const FALLBACK_URL = '/*';

/** The route's pattern, never the path, because a path may hold anything. Undefined for an unmatched request. */
export function routeOf(request: FastifyRequest): string | undefined {
  const { url } = request.routeOptions;
  return url === FALLBACK_URL ? undefined : url;
}
