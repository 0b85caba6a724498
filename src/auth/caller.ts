import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../common/errors/api-error.js';
import { RequestSlot } from '../common/http/request-slot.js';
import type { CallerKey } from './api-key.js';

/**
 * Who sent a request: a key, or a stranger at an address. `refusal` is what a stranger is told where a
 * key is needed: 401, or 503 when the key could not be checked.
 */
export type Caller = { key: CallerKey } | { key: undefined; refusal: ApiError };

const callers = new RequestSlot<Caller>('caller');

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Undefined before the caller was looked up, and on open routes, where nobody asks. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

/** The key behind a request that RequireApiKeyGuard has let through. */
export function callerKeyOf(request: FastifyRequest): CallerKey {
  const key = callerOf(request)?.key;
  if (!key) throw new Error('no key: the route is open, or the guards did not run');
  return key;
}
