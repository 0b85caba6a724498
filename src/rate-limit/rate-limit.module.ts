import { type ExecutionContext, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { FastifyRequest } from 'fastify';
import { AuthModule } from '../auth/auth.module.js';
import { callerKeyOf } from '../auth/caller.js';
import { Clock, MINUTE_MS } from '../platform/common/time.js';
import { CONFIG } from '../platform/config/config.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { QuotaMarkEntity } from './quota/quota-mark.entity.js';
import { QuotaService } from './quota/quota.service.js';
import { UsageModule } from './usage/usage.module.js';
import { UsageService } from './usage/usage.service.js';
import { KeyLimitsController } from './key-limits.controller.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitService } from './rate-limit.service.js';
import { Counters } from './counters/counters.js';
import { connectCounters, createCounters, type RedisConnection } from './create-counters.js';

const REDIS = Symbol('REDIS');

/** The limit of the key behind a request. */
const limitPerMinute = (context: ExecutionContext) =>
  callerKeyOf(context.switchToHttp().getRequest<FastifyRequest>()).perMinute;

@Module({
  imports: [
    AuthModule,
    UsageModule,
    TypeOrmModule.forFeature([QuotaMarkEntity]),
    // PlanThrottlerGuard takes one decision for this window, the day and the ban of a key.
    ThrottlerModule.forRoot([{ limit: limitPerMinute, ttl: MINUTE_MS }]),
  ],
  providers: [
    RateLimitService,
    QuotaService,
    { provide: REDIS, useFactory: connectCounters, inject: [CONFIG, Metrics] },
    { provide: Counters, useFactory: createCounters, inject: [REDIS, Clock, UsageService, Metrics] },
  ],
  controllers: [RateLimitController, KeyLimitsController],
  exports: [AuthModule, RateLimitService],
})
export class RateLimitModule implements OnApplicationShutdown {
  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    private readonly counters: Counters,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.counters.close();
    // The listener is the one that connects to sentinels again.
    this.redis?.removeAllListeners('end').disconnect();
  }
}
