import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../common/errors/api-error.js';
import { RequestSlot } from '../http/requests/request-slot.js';
import type { CallerKey } from './keys/api-key.js';

/**
 * The sender of a request: a valid key, or none. `refusal` is the response where a key is required: 401, or 503 when the key
 * could not be checked.
 */
export type Caller = { key: CallerKey } | { key: undefined; refusal: ApiError };

const callers = new RequestSlot<Caller>('caller');

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Undefined before ApiKeyGuard has run, and outside `/v1`. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

/** The key behind a request that RequireApiKeyGuard has let through. */
export function callerKeyOf(request: FastifyRequest): CallerKey {
  const key = callerOf(request)?.key;
  if (!key) throw new Error('no key: the route is open, or the guards did not run');
  return key;
}

/** The key behind a request, as an argument of a handler. */
export const CurrentKey = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerKeyOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
