import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-error.js';
import type { AdmissionStep } from '../common/http/admission.js';
import { countHeader } from '../common/http/request-framing.js';
import { ROUTE_TABLE, surfaceOf, type RouteTable } from '../common/http/surface.js';
import { ApiKeysService } from './api-keys.service.js';
import { invalidApiKey, missingApiKey } from './auth.errors.js';
import { callerOf, rememberCaller, type Caller } from './caller.js';

// RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1).
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** First of the guards: finds out who is calling, and refuses nobody. The limits come before the refusal. */
@Injectable()
export class IdentifyCallerGuard implements CanActivate, AdmissionStep {
  constructor(
    private readonly keys: ApiKeysService,
    @Inject(ROUTE_TABLE) private readonly routes: RouteTable,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.admit(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }

  async admit(request: FastifyRequest): Promise<void> {
    if (callerOf(request) || surfaceOf(request, this.routes) !== 'api') return;
    rememberCaller(request, await this.identify(request));
  }

  private async identify(request: FastifyRequest): Promise<Caller> {
    const { authorization } = request.headers;
    if (authorization === undefined) return { key: undefined, refusal: missingApiKey() };
    const secret = BEARER.exec(authorization)?.[1];
    // Node keeps the first of two Authorization headers; which one was meant is anybody's guess.
    if (secret === undefined || countHeader(request, 'authorization') !== 1) {
      return { key: undefined, refusal: invalidApiKey() };
    }
    try {
      const key = await this.keys.identify(secret);
      return key ? { key } : { key: undefined, refusal: invalidApiKey() };
    } catch (error) {
      if (error instanceof ApiError) return { key: undefined, refusal: error };
      throw error;
    }
  }
}
