import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endpointRemoved } from '../../common/errors/common.errors.js';
import { CONFIG, type Config } from '../../config/config.js';
import { routeOf } from './route-scope.js';

/** Refuses operations that have a sunset date if the operator has set ENFORCE_SUNSET, before and after that date. */
@Injectable()
export class SunsetGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** @throws ApiError endpoint_removed */
  canActivate(context: ExecutionContext): boolean {
    const { operation } = routeOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (this.config.enforceSunset && operation?.sunset)
      throw endpointRemoved(`GET ${operation.sunset.successor}`);
    return true;
  }
}
