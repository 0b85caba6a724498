import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../platform/common/errors/api-error.js';
import { countHeader } from '../../platform/http/requests/headers.js';
import { requestOf } from '../../platform/http/requests/context.js';
import { routeOf } from '../../platform/http/requests/route-scope.js';
import { toApiError } from '../../platform/http/responses/error.filter.js';
import { KeyLookup } from '../keys/secrets/key-lookup.js';
import { invalidApiKey, missingApiKey } from '../auth.errors.js';
import { type Caller } from '../caller.js';

// RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1).
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Resolves the caller and rejects no request, because the rate limit comes before 401. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly keys: KeyLookup) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    if (routeOf(request).scope === 'api') request.caller = await this.callerOf(request);
    return true;
  }

  private async callerOf(request: FastifyRequest): Promise<Caller> {
    const { authorization } = request.headers;
    if (authorization === undefined) return refused(missingApiKey());
    const secret = BEARER.exec(authorization)?.[1];
    // Node keeps the first of two Authorization headers, but the caller may mean the other one.
    if (secret === undefined || countHeader(request, 'authorization') !== 1) return refused(invalidApiKey());
    try {
      const key = await this.keys.identify(secret);
      return key ? { key } : refused(invalidApiKey());
    } catch (error) {
      return refused(toApiError(error));
    }
  }
}

const refused = (refusal: ApiError): Caller => ({ key: undefined, refusal });
