import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AdmissionStep } from '../common/http/admission.js';
import { ROUTE_TABLE, isUnrouted, surfaceOf, type RouteTable } from '../common/http/surface.js';
import { readOnlyKey } from './auth.errors.js';
import { callerOf } from './caller.js';

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Third of the guards: everything under /v1 needs a valid key, and an operation that writes one that may. */
@Injectable()
export class RequireApiKeyGuard implements CanActivate, AdmissionStep {
  constructor(@Inject(ROUTE_TABLE) private readonly routes: RouteTable) {}

  canActivate(context: ExecutionContext): boolean {
    this.admit(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }

  /** Raises missing_api_key, invalid_api_key, read_only_key, or service_unavailable where the key cannot be checked. */
  admit(request: FastifyRequest): void {
    if (surfaceOf(request, this.routes) !== 'api') return;
    const caller = callerOf(request);
    if (!caller) throw new Error('the caller was not looked up: IdentifyCallerGuard comes first');
    if (!caller.key) throw caller.refusal;
    if (caller.key.readOnly && !READING_METHODS.has(request.method) && !isUnrouted(request))
      throw readOnlyKey();
  }
}
