import type { FastifyRequest } from 'fastify';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method, one of few: a caller may send any word. */
export function methodLabel({ method }: FastifyRequest): string {
  return METHODS.has(method) ? method : 'other';
}
