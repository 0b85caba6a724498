import { Inject, Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { overloaded } from '../common/errors/common.errors.js';
import { CONFIG, type Config } from '../config/config.js';
import { pipelinedConnections } from '../database/data-source.js';
import { routeOf } from '../http/requests/route-scope.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/**
 * Reading requests on each shared connection, where a statement waits for those before it. With more of them, expensive statements
 * exceed their timeout, which ends the connection.
 */
const READERS_PER_CONNECTION = 16;
/** Other requests per connection of the pool. Each may need a connection of its own and waits for it behind the others. */
const REQUESTS_PER_CONNECTION = 4;
const READING_METHODS = new Set(['GET', 'HEAD']);
/** Long enough to serve a burst; with the rest of a request its response still comes within 2 s. */
const MAX_WAIT_MS = 1_000;
/** The overload has ended when no request was refused for this long. */
const CALM_MS = 5_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the key, set by ApiKeyGuard. Waiting keys get slots round-robin. */
    slotOwner?: string;
    /** Where the request holds a slot. */
    slotIn?: ConcurrencyLimiter | undefined;
  }
}

/**
 * Admits a bounded number of operations per database connection; the others wait here, and get 503 when that takes too long. So keys, changes
 * of keys, usage and readiness never wait behind the load. Waiting keys get slots round-robin, so one key's burst does not delay the others.
 * It runs after the body is read, so a slow body holds no slot. An interceptor could release the slot by itself, but costs a fifth of a
 * fetch.
 */
@Injectable()
export class LoadSheddingGuard implements CanActivate {
  private readonly logger = new Logger('Overload');
  private readonly readers: ConcurrencyLimiter;
  private readonly writers: ConcurrencyLimiter;
  private refused = 0;
  private calm: NodeJS.Timeout | undefined;

  constructor(@Inject(CONFIG) { database }: Config) {
    const limiterOf = (slots: number) => new ConcurrencyLimiter(slots, MAX_WAIT_MS, () => this.refuse());
    const slotsOfPool = REQUESTS_PER_CONNECTION * database.poolSize;
    this.readers = limiterOf(READERS_PER_CONNECTION * pipelinedConnections(database) || slotsOfPool);
    this.writers = limiterOf(slotsOfPool);
  }

  /** @throws ApiError service_unavailable when the wait is too long */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!routeOf(request).operation) return true;
    const limiter = READING_METHODS.has(request.method) ? this.readers : this.writers;
    await limiter.acquire(request.slotOwner);
    request.slotIn = limiter;
    return true;
  }

  /** To be called when the response is known, before it is sent: a caller who does not read it would keep the slot. */
  release(request: FastifyRequest): void {
    request.slotIn?.release();
    request.slotIn = undefined;
  }

  /** An overload is logged when it begins and when it has ended, however many are refused. */
  private refuse(): Error {
    if (this.refused === 0) this.logger.warn('overloaded: requests are turned away with 503');
    this.refused += 1;
    this.calm ??= setTimeout(() => this.endOverload(), CALM_MS).unref();
    this.calm.refresh();
    return overloaded();
  }

  private endOverload(): void {
    this.logger.log({ refused: this.refused }, 'no longer overloaded');
    this.refused = 0;
    this.calm = undefined;
  }
}
