import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { overloaded } from '../../common/errors/common.errors.js';
import { requestOf } from './context.js';
import { routeOf } from './route-scope.js';

/** An admitted operation is to be answered within this time. With turns of a busy event loop it takes less than 2 s. */
const ANSWERED_WITHIN_MS = 700;
/** How many operations may be under way at any pace, before the pace of answers is known, and at the highest pace. */
const LEAST_UNDER_WAY = 32;
const FIRST_UNDER_WAY = 128;
const MOST_UNDER_WAY = 1_000;
/** With fewer under way, a connection to the database is free (the default pool has 8), so that a slow answer does not show the capacity. */
const LEAST_WHEN_BUSY = 8;
/** The pace is the mean over about this many answers. */
const ANSWERS_OF_PACE = 64;
const LOG_EVERY_MS = 60_000;

/**
 * Counts the operations under way, and refuses further ones at once when those admitted could not be answered in time at the current pace of
 * answers. A burst of quick operations is served, and a slow database does not make callers wait. It runs after the body is read, so that a
 * slow body holds no place.
 */
@Injectable()
export class CapacityGuard implements CanActivate {
  private readonly logger = new Logger('Capacity');
  private underWay = 0;
  private answeredAtMs = -Infinity;
  /** The mean time from one answer to the next. */
  private paceMs = ANSWERED_WITHIN_MS / FIRST_UNDER_WAY;
  private loggedAtMs = -Infinity;

  /** @throws ApiError service_unavailable */
  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const { operation } = routeOf(request);
    if (!operation || operation.waitsForOthers) return true;
    if (this.underWay >= this.bound()) this.refuse();
    this.underWay += 1;
    request.underWaySinceMs = performance.now();
    return true;
  }

  /** To be called when the response is known, before it is sent: a caller who does not read it would keep the place. */
  release(request: FastifyRequest, status: number): void {
    const { underWaySinceMs } = request;
    if (underWaySinceMs === undefined) return;
    request.underWaySinceMs = undefined;
    // What fails by its own timeout, such as a write that waits for a lock, says nothing about the others.
    if (status < 500) this.notePace(underWaySinceMs);
    this.underWay -= 1;
  }

  private notePace(underWaySinceMs: number): void {
    const nowMs = performance.now();
    const sinceMs = Math.max(this.answeredAtMs, underWaySinceMs);
    const slowerByMs = nowMs - sinceMs - this.paceMs;
    if (slowerByMs < 0 || this.underWay >= LEAST_WHEN_BUSY) this.paceMs += slowerByMs / ANSWERS_OF_PACE;
    this.answeredAtMs = nowMs;
  }

  private bound(): number {
    return Math.min(Math.max(ANSWERED_WITHIN_MS / this.paceMs, LEAST_UNDER_WAY), MOST_UNDER_WAY);
  }

  private refuse(): never {
    const nowMs = performance.now();
    if (nowMs - this.loggedAtMs >= LOG_EVERY_MS) {
      this.loggedAtMs = nowMs;
      this.logger.warn({ operations: this.underWay }, 'overloaded: further requests get 503');
    }
    throw overloaded();
  }
}
