import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { routeOf } from '../route-scope.js';
import { validQuery, type Query } from './validate.js';

/** The query of an operation that declares none. */
class NoParameters {}

/** Refuses every query parameter of an operation that declares no query: a typo must never be ignored. */
@Injectable()
export class NoParametersGuard implements CanActivate {
  /** @throws ApiError invalid_parameter */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation, takesParameters } = routeOf(request);
    if (operation && !takesParameters) validQuery(request.query as Query, NoParameters);
    return true;
  }
}
