import {
  Inject,
  Injectable,
  Logger,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { ROUTE_TABLE, surfaceOf, type RouteTable } from '../common/http/surface.js';
import { CONFIG, type Config } from '../config/config.js';
import { overloaded } from './database.errors.js';
import { Turns } from './turns.js';

/** Statements of one turn of the event loop go together, so a connection serves several requests at once. */
const REQUESTS_A_CONNECTION = 4;
/** Long, so that a burst is served; with everything else that a request takes, its answer still comes within 2 s. */
const WAIT_AT_MOST_MS = 1_250;
/** So long without a refusal, and the overload is over. */
const CALM_MS = 5_000;

/**
 * A few requests at a time for every connection; the others wait here, and get 503 when that takes too long.
 * So the connections' own queue stays short, and keys, changes of keys, usage and readiness never wait behind the load.
 * It stands behind the guards: an overload shows a stranger nothing but 401, and its 503 counts like any answer.
 */
@Injectable()
export class TakeTurnsInterceptor implements NestInterceptor {
  private readonly logger = new Logger('Overload');
  private readonly turns: Turns;
  private refused = 0;
  private calm: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CONFIG) { database }: Config,
    @Inject(ROUTE_TABLE) private readonly routes: RouteTable,
  ) {
    this.turns = new Turns(REQUESTS_A_CONNECTION * database.poolSize, WAIT_AT_MOST_MS, () => this.refuse());
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (surfaceOf(request, this.routes) !== 'api') return next.handle();
    await this.turns.take();
    // Not when the answer is out: who does not read it would keep the turn.
    return next.handle().pipe(finalize(() => this.turns.end()));
  }

  /** An overload is logged when it begins and when it has ended, however many are turned away. */
  private refuse(): Error {
    if (this.refused === 0) this.logger.warn('overloaded: requests are turned away with 503');
    this.refused += 1;
    this.calm ??= setTimeout(() => this.end(), CALM_MS).unref();
    this.calm.refresh();
    return overloaded();
  }

  private end(): void {
    this.logger.log({ refused: this.refused }, 'no longer overloaded');
    this.refused = 0;
    this.calm = undefined;
  }
}
