import { Inject, Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequestSlot } from '../common/http/request-slot.js';
import { ROUTE_TABLE, surfaceOf, type RouteTable } from '../common/http/surface.js';
import { CONFIG, type Config } from '../config/config.js';
import { overloaded } from './database.errors.js';
import { Turns } from './turns.js';

/**
 * How many for every connection. What reads of one turn of the event loop ask is one statement; what writes may need a
 * connection of its own, and waits for it behind the others here.
 */
const READERS_A_CONNECTION = 8;
const WRITERS_A_CONNECTION = 4;
const READING_METHODS = new Set(['GET', 'HEAD']);
/** Long, so that a burst is served; with everything else that a request takes, its answer still comes within 2 s. */
const WAIT_AT_MOST_MS = 1_000;
/** So long without a refusal, and the overload is over. */
const CALM_MS = 5_000;

const turn = new RequestSlot<Turns | undefined>('turn');

/**
 * A few requests at a time for every connection; the others wait here, and get 503 when that takes too long.
 * So the connections' own queue stays short, and keys, changes of keys, usage and readiness never wait behind the load.
 * The last of the guards: an overload shows a stranger nothing but 401, and its 503 counts like any answer. An interceptor
 * could end the turn by itself, but costs a fifth of a fetch (docs/performance.md).
 */
@Injectable()
export class TakeTurnsGuard implements CanActivate {
  private readonly logger = new Logger('Overload');
  private readonly readers: Turns;
  private readonly writers: Turns;
  private refused = 0;
  private calm: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CONFIG) { database }: Config,
    @Inject(ROUTE_TABLE) private readonly routes: RouteTable,
  ) {
    const turns = (each: number) => new Turns(each * database.poolSize, WAIT_AT_MOST_MS, () => this.refuse());
    this.readers = turns(READERS_A_CONNECTION);
    this.writers = turns(WRITERS_A_CONNECTION);
  }

  /** Raises service_unavailable when the wait is too long. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (surfaceOf(request, this.routes) !== 'api') return true;
    const turns = READING_METHODS.has(request.method) ? this.readers : this.writers;
    await turns.take();
    turn.set(request, turns);
    return true;
  }

  /** To be called when the answer is known, not when it is out: who does not read it would keep the turn. */
  end(request: FastifyRequest): void {
    const taken = turn.get(request);
    if (!taken) return;
    turn.set(request, undefined);
    taken.end();
  }

  /** An overload is logged when it begins and when it has ended, however many are turned away. */
  private refuse(): Error {
    if (this.refused === 0) this.logger.warn('overloaded: requests are turned away with 503');
    this.refused += 1;
    this.calm ??= setTimeout(() => this.calmDown(), CALM_MS).unref();
    this.calm.refresh();
    return overloaded();
  }

  private calmDown(): void {
    this.logger.log({ refused: this.refused }, 'no longer overloaded');
    this.refused = 0;
    this.calm = undefined;
  }
}
