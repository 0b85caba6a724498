import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { overloaded } from '../../common/errors/common.errors.js';
import { routeOf } from './route-scope.js';

/** As many as two database connections answer within 0.7 s when each operation takes one of them for 20 ms. */
const MOST_UNDER_WAY = 64;
const LOG_EVERY_MS = 60_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** It counts as under way. */
    isUnderWay?: boolean;
  }
}

/**
 * Counts the operations under way, and refuses further ones above a bound at once. It runs after the body is read, so that a slow body holds
 * no place.
 */
@Injectable()
export class CapacityGuard implements CanActivate {
  private readonly logger = new Logger('Capacity');
  private underWay = 0;
  private loggedAtMs = -Infinity;

  /** @throws ApiError service_unavailable */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!routeOf(request).operation) return true;
    if (this.underWay >= MOST_UNDER_WAY) this.refuse();
    this.underWay += 1;
    request.isUnderWay = true;
    return true;
  }

  /** To be called when the response is known, before it is sent: a caller who does not read it would keep the place. */
  release(request: FastifyRequest): void {
    if (!request.isUnderWay) return;
    request.isUnderWay = false;
    this.underWay -= 1;
  }

  private refuse(): never {
    const nowMs = performance.now();
    if (nowMs - this.loggedAtMs >= LOG_EVERY_MS) {
      this.loggedAtMs = nowMs;
      this.logger.warn({ operations: MOST_UNDER_WAY }, 'overloaded: further requests get 503');
    }
    throw overloaded();
  }
}
