import type { FastifyRequest } from 'fastify';
import { isUnrouted } from '../common/http/surface.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method, one of few: a caller may send any word. */
export function methodLabel({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : 'other';
}

/** The pattern, never the path: a path may hold anything, and there is no end of paths. Undefined where no operation answers. */
export function routeOf(request: FastifyRequest): string | undefined {
  return isUnrouted(request) ? undefined : request.routeOptions.url;
}
