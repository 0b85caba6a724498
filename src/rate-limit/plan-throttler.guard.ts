import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Counter } from 'prom-client';
import { clientAddressOf } from '../auth/caller.js';
import { PLAN_NAMES, type Plan } from '../auth/plans.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { DatabaseUnavailableError } from '../platform/database/database.errors.js';
import { routeOf } from '../platform/http/requests/route-scope.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { subjectOfAddress, type Source, type Subject } from './decision.js';
import { limitHeaders } from './limit-headers.js';
import { refusal } from './rate-limit.errors.js';
import { RateLimitService } from './rate-limit.service.js';

const OUTCOME_LABEL = { admitted: 'admitted', refused: 'limited', banned: 'banned' } as const;
const SOURCES: Source[] = ['allowance', 'redis', 'memory'];
const PASSED = Promise.resolve(true);

/**
 * Counts a request once against its caller's plan and puts what is left on the response. `@SkipThrottle()` makes an operation
 * free of charge for valid keys.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  private readonly decisions: Counter<'plan' | 'outcome'> | undefined;
  private readonly sources: Counter<'source'> | undefined;
  /** Whether requests of a handler are counted: the throttler would read its decorators for every request. */
  private readonly isCounted = new Map<unknown, boolean>();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly limits: RateLimitService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    super(options, storage, reflector);
    this.decisions = metrics?.counter(
      'rate_limit_decisions_total',
      'Requests that were counted or refused. Requests that are not counted are left out.',
      ['plan', 'outcome'],
    );
    this.sources = metrics?.counter(
      'rate_limit_decision_sources_total',
      'The same requests by what decided: an allowance of this replica, Redis, or memory.',
      ['source'],
    );
    // Every series starts at zero, because Prometheus sees no increase from an absent series.
    for (const plan of [...PLAN_NAMES, 'anonymous'])
      for (const outcome of Object.values(OUTCOME_LABEL)) this.decisions?.inc({ plan, outcome }, 0);
    for (const source of SOURCES) this.sources?.inc({ source }, 0);
  }

  /** @throws ApiError rate_limit_exceeded, api_key_banned */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (routeOf(request).scope === 'open') return true;
    const { caller } = request;
    if (caller?.key) {
      const handler = context.getHandler();
      const isCounted = this.isCounted.get(handler) ?? (await this.readDecorators(context));
      if (isCounted) await this.decide(caller.key, caller.key.plan, reply);
      else await this.show(caller.key, reply);
    } else if (caller?.refusal instanceof DatabaseUnavailableError) {
      // The key could not be checked, and the caller is not the cause, so nothing is charged.
      await this.showAddress(request, reply);
    } else {
      // A free operation is free for valid keys only.
      await this.decide(this.addressOf(request), 'anonymous', reply);
    }
    return true;
  }

  /** Puts the address's window on a response that is not counted. */
  async showAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.show(this.addressOf(request), reply);
  }

  /** The throttler calls it unless `@SkipThrottle()` exempts the handler. */
  protected override handleRequest({ context }: ThrottlerRequest): Promise<boolean> {
    this.isCounted.set(context.getHandler(), true);
    return PASSED;
  }

  private async readDecorators(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const handler = context.getHandler();
    const isCounted = this.isCounted.has(handler);
    this.isCounted.set(handler, isCounted);
    return isCounted;
  }

  private async decide(subject: Subject, plan: Plan | 'anonymous', reply: FastifyReply): Promise<void> {
    const decided = this.limits.decide(subject);
    const decision = decided instanceof Promise ? await decided : decided;
    void reply.headers(limitHeaders(decision));
    this.decisions?.inc({ plan, outcome: OUTCOME_LABEL[decision.outcome] });
    this.sources?.inc({ source: decision.source });
    if (decision.outcome !== 'admitted') throw refusal(decision);
  }

  private async show(subject: Subject, reply: FastifyReply): Promise<void> {
    void reply.headers(limitHeaders(await this.limits.peek(subject)));
  }

  private addressOf(request: FastifyRequest): Subject {
    return subjectOfAddress(clientAddressOf(request), this.config.anonymousPerMinute);
  }
}
