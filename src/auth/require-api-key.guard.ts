import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from '../platform/http/requests/route-scope.js';
import { readOnlyKey } from './auth.errors.js';

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Every path under /v1 needs a valid key, and an operation that writes needs a key that may write. */
@Injectable()
export class RequireApiKeyGuard implements CanActivate {
  /** @throws ApiError missing_api_key, invalid_api_key, read_only_key, or service_unavailable or internal_error when the key cannot be checked */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { scope, isFallback } = routeOf(request);
    if (scope !== 'api') return true;
    const { caller } = request;
    if (!caller) throw new Error('the caller is not resolved: ApiKeyGuard must run first');
    if (!caller.key) throw caller.refusal;
    if (caller.key.readOnly && !READING_METHODS.has(request.method) && !isFallback) throw readOnlyKey();
    return true;
  }
}
