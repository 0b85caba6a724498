import { isIP } from 'node:net';
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import { THROTTLER_SKIP } from '@nestjs/throttler/dist/throttler.constants.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../auth/caller.js';
import type { ApiError } from '../common/errors/api-error.js';
import type { AdmissionStep } from '../common/http/admission.js';
import type { RouteSettings } from '../common/http/operation.decorator.js';
import { RequestSlot } from '../common/http/request-slot.js';
import { ROUTE_TABLE, settingsOf, surfaceOf, type RouteTable } from '../common/http/surface.js';
import { CONFIG, type Config } from '../config/config.js';
import { DecisionMetrics } from './decision-metrics.js';
import type { Subject } from './decision.js';
import { limitHeaders } from './limit-headers.js';
import { PlanStorage } from './plan-storage.js';
import { refusal } from './rate-limit.errors.js';
import { subjectOfAddress, subjectOfKey } from './subject.js';

/** Every limit is a plan's, so the throttler knows a single name. */
export const THROTTLER_NAME = 'default';

/**
 * Second of the guards: counts the request against its caller's plan, once, whether it ends well or not, and puts
 * what is left on the answer. `@SkipThrottle()` makes an operation free of charge for valid keys.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard implements AdmissionStep {
  private readonly refusals = new RequestSlot<Promise<ApiError | undefined>>('refusal');
  /** Asked of the decorators once for each operation: that is too dear for each request. */
  private readonly free = new WeakMap<RouteSettings, boolean>();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: PlanStorage,
    reflector: Reflector,
    @Inject(ROUTE_TABLE) private readonly routes: RouteTable,
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: DecisionMetrics,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    await this.admit(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }

  /** Raises rate_limit_exceeded or api_key_banned. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (surfaceOf(request, this.routes) === 'open') return;
    const refused = await (this.refusals.get(request) ??
      this.refusals.set(request, this.count(request, reply)));
    if (refused) throw refused;
  }

  /** Puts the address's window on an answer that is not counted. */
  async showAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    void reply.headers(limitHeaders(await this.storage.peek(await this.addressOf(request))));
  }

  /** IPv6 is counted per /64, IPv4-mapped addresses as IPv4; what a proxy passed on must be an address. */
  protected override getTracker(request: FastifyRequest): Promise<string> {
    const ip = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip;
    return super.getTracker({ ip });
  }

  /** Takes the decision and shows it; resolves with the refusal, if it is one. */
  private async count(request: FastifyRequest, reply: FastifyReply): Promise<ApiError | undefined> {
    const caller = callerOf(request);
    // Where the database is away nobody knows whether the key is good, so nothing is charged for it.
    if (caller && !caller.key && caller.refusal.status === 503) {
      await this.showAddress(request, reply);
      return undefined;
    }
    const subject = caller?.key ? subjectOfKey(caller.key) : await this.addressOf(request);
    const isFree = caller?.key !== undefined && this.isFree(request);
    const decision = await (isFree ? this.storage.peek(subject) : this.storage.decide(subject));
    void reply.headers(limitHeaders(decision));
    if (isFree) return undefined;
    this.metrics.note(caller?.key?.plan ?? 'anonymous', decision.outcome);
    return decision.outcome === 'admitted' ? undefined : refusal(decision);
  }

  /** Asked of the route and not of the guard's context: a malformed request reaches no guard, and is free all the same. */
  private isFree(request: FastifyRequest): boolean {
    const settings = settingsOf(request);
    let isFree = this.free.get(settings);
    if (isFree === undefined) {
      const { decorated = [] } = settings;
      const skip = THROTTLER_SKIP + THROTTLER_NAME;
      isFree = this.reflector.getAllAndOverride<boolean | undefined>(skip, decorated) ?? false;
      this.free.set(settings, isFree);
    }
    return isFree;
  }

  private async addressOf(request: FastifyRequest): Promise<Subject> {
    return subjectOfAddress(await this.getTracker(request), this.config.anonymousPerMinute);
  }
}
