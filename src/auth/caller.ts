import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requestOf } from '../platform/http/requests/context.js';
import type { ApiError } from '../platform/common/errors/api-error.js';
import type { CallerKey } from './caller-key.js';

/**
 * The sender of a request: a valid key, or none. `refusal` is the response where a key is required: 401, or 503 or 500 when the
 * key could not be checked.
 */
export type Caller = { key: CallerKey } | { key: undefined; refusal: ApiError };

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined before ApiKeyGuard has run, and outside `/v1`. */
    caller?: Caller;
  }
}

/** The key behind a request that RequireApiKeyGuard has let through. */
export function callerKeyOf(request: FastifyRequest): CallerKey {
  const key = request.caller?.key;
  if (!key) throw new Error('no key: the route is open, or the guards did not run');
  return key;
}

/** The key behind a request, as an argument of a handler. */
export const CurrentKey = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerKeyOf(requestOf(context)),
);
