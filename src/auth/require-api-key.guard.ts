import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from '../platform/http/requests/route-scope.js';
import { isAccessEnough } from './access.js';
import { insufficientAccess } from './auth.errors.js';
import { isOwnKey } from './caller.js';
import type { CallerKey } from './keys/api-key.js';
import type { RequiredAccess } from './operation.decorator.js';

/** Every path under /v1 needs a valid key, and an operation needs a key with the access that its `@Operation` declares. */
@Injectable()
export class RequireApiKeyGuard implements CanActivate {
  /** @throws ApiError missing_api_key, invalid_api_key, insufficient_access, or service_unavailable or internal_error when the key cannot be checked */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { scope, required } = routeOf(request);
    if (scope !== 'api') return true;
    const { caller } = request;
    if (!caller) throw new Error('the caller is not resolved: ApiKeyGuard must run first');
    if (!caller.key) throw caller.refusal;
    if (required && !this.mayCall(required, request, caller.key))
      throw insufficientAccess(required.access, caller.key.access);
    return true;
  }

  private mayCall(
    { access, selfParam }: RequiredAccess,
    { params }: FastifyRequest,
    key: CallerKey,
  ): boolean {
    if (isAccessEnough(key.access, access)) return true;
    const named = selfParam && (params as Record<string, string>)[selfParam];
    return named !== undefined && isOwnKey(named, key);
  }
}
