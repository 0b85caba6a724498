import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requestOf } from '../../platform/http/requests/context.js';
import { routeOf } from '../../platform/http/requests/route-scope.js';
import { isAccessEnough } from '../access.js';
import { insufficientAccess, outdatedSecret } from '../auth.errors.js';
import { isOwnKey } from '../key-of-path.js';
import type { CallerKey } from '../caller-key.js';
import type { RequiredAccess } from '../operation.decorator.js';

/** Every path under /v1 needs a valid key, and an operation needs a key with the access that its `@Operation` declares. */
@Injectable()
export class RequireApiKeyGuard implements CanActivate {
  /** @throws ApiError missing_api_key, invalid_api_key, insufficient_access, outdated_secret, or service_unavailable or internal_error when the key cannot be checked */
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const { scope, required } = routeOf(request);
    if (scope !== 'api') return true;
    const { caller } = request;
    if (!caller) throw new Error('the caller is not resolved: ApiKeyGuard must run first');
    if (!caller.key) throw caller.refusal;
    if (required) requireAccess(required, request, caller.key);
    return true;
  }
}

function requireAccess(required: RequiredAccess, request: FastifyRequest, key: CallerKey): void {
  if (!isAccessEnough(key.access, required.access) && !isForItself(required, request, key))
    throw insufficientAccess(required.access, key.access);
  if (required.isForNewestSecret && !key.isNewestSecret && isForItself(required, request, key))
    throw outdatedSecret();
}

/** Whether a key calls an operation for itself, where that is possible. */
function isForItself({ selfParam }: RequiredAccess, { params }: FastifyRequest, key: CallerKey): boolean {
  const named = selfParam && (params as Record<string, string>)[selfParam];
  return named !== undefined && isOwnKey(named, key);
}
