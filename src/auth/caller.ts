import { isIP } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../platform/common/errors/api-error.js';
import { keyNotFound } from './auth.errors.js';
import { type CallerKey, keyIdOf } from './keys/api-key.js';

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
  callerKeyOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * The id of the key that a path names; `me` is the caller's own.
 * @throws ApiError `key_not_found`
 */
export function keyIdOfPath(text: string, caller: CallerKey): string {
  const id = text === 'me' ? caller.id : keyIdOf(text);
  if (id === undefined) throw keyNotFound(text);
  return id;
}

/** Whether a path names the caller's own key. */
export const isOwnKey = (text: string, caller: CallerKey) => text === 'me' || keyIdOf(text) === caller.id;

/**
 * The address that requests without a valid key are counted against: IPv6 per /64, IPv4-mapped addresses as IPv4. When a
 * proxy forwards something that is not an address, the proxy's own address counts.
 */
export function clientAddressOf(request: FastifyRequest): string {
  return normalizeIp(isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip);
}
