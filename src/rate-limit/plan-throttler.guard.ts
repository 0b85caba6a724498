import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { Source, Subject } from 'exact-rate-limiter';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Counter } from 'prom-client';
import { clientAddressOf } from './client-address.js';
import { PLAN_NAMES, type Plan } from '../auth/plans.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { DatabaseUnavailableError } from '../platform/common/errors/database-errors.js';
import { replyOf, requestOf } from '../platform/http/requests/context.js';
import { routeOf } from '../platform/http/requests/route-scope.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { limitHeaders, showsLimits } from './limit-headers.js';
import { refusal } from './rate-limit.errors.js';
import { RateLimitService } from './rate-limit.service.js';

const OUTCOME_LABEL = { admitted: 'admitted', refused: 'limited', banned: 'banned' } as const;
/** Under what name `@SkipThrottle()` of @nestjs/throttler 6 notes an exemption. */
const SKIPPED = 'THROTTLER:SKIPdefault';
const SOURCES: Source[] = ['allowance', 'refusal', 'redis', 'memory'];

declare module '../platform/http/requests/route-scope.js' {
  interface Route {
    /** Whether `@SkipThrottle()` exempts its handler; known since its first request. */
    isExempt?: boolean;
  }
}

/**
 * Counts a request once against its caller's plan and puts what is left on the response. `@SkipThrottle()` on a handler or a
 * class makes it free of charge for valid keys.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  private readonly decisions: Counter<'plan' | 'outcome'> | undefined;
  private readonly sources: Counter<'source'> | undefined;

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
      'The same requests by what decided: an allowance of this replica, a refusal that it knows to last, Redis, or memory.',
      ['source'],
    );
    // Every series starts at zero, because Prometheus sees no increase from an absent series.
    for (const plan of [...PLAN_NAMES, 'anonymous'])
      for (const outcome of Object.values(OUTCOME_LABEL)) this.decisions?.inc({ plan, outcome }, 0);
    for (const source of SOURCES) this.sources?.inc({ source }, 0);
  }

  /**
   * Puts what is left on every response that no decision was taken for: free of charge, a preflight, a malformed request, or a key
   * that could not be checked.
   */
  showLimitsOn(fastify: FastifyInstance): void {
    fastify.addHook('onSend', (request, reply, payload, done) => {
      if (routeOf(request).scope === 'open' || showsLimits(reply)) done(null, payload);
      else this.showLimits(request, reply).then(() => done(null, payload), done);
    });
  }

  /**
   * Counts the request, or refuses it. Plans set the limits, so nothing is left of what ThrottlerGuard does after this: it would read six
   * decorators and wait for their values with every request, which takes a twentieth of a get. Nothing is free without a valid key: such a
   * request is counted against its address, also where `@SkipThrottle()` exempts the handler or its class.
   * @throws ApiError rate_limit_exceeded, api_key_banned
   */
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    if (routeOf(request).scope === 'open') return true;
    const { caller } = request;
    if (caller?.key) return this.isExempt(context) || this.decide(caller.key, caller.key.plan, context);
    // The caller is not the cause of a key that could not be checked.
    if (caller?.refusal instanceof DatabaseUnavailableError) return true;
    return this.decide(this.addressOf(request), 'anonymous', context);
  }

  private isExempt(context: ExecutionContext): boolean {
    const decorated = [context.getHandler(), context.getClass()];
    // Reading decorators takes longer than the decision.
    return (routeOf(requestOf(context)).isExempt ??=
      this.reflector.getAllAndOverride<boolean | undefined>(SKIPPED, decorated) ?? false);
  }

  /** True, or the refusal as an exception. */
  private async decide(
    subject: Subject,
    plan: Plan | 'anonymous',
    context: ExecutionContext,
  ): Promise<boolean> {
    const { operation } = routeOf(requestOf(context));
    const decision = await this.limits.decide(subject, operation?.sunset !== undefined);
    void replyOf(context).headers(limitHeaders(decision));
    this.decisions?.inc({ plan, outcome: OUTCOME_LABEL[decision.outcome] });
    this.sources?.inc({ source: decision.source });
    if (decision.outcome !== 'admitted') throw refusal(decision);
    return true;
  }

  private async showLimits(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const subject = request.caller?.key ?? this.addressOf(request);
    void reply.headers(limitHeaders(await this.limits.peek(subject)));
  }

  private addressOf(request: FastifyRequest): Subject {
    return { id: clientAddressOf(request), perMinute: this.config.anonymousPerMinute, perDay: null };
  }
}
