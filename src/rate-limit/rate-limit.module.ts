import { type ExecutionContext, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RateLimiter } from 'exact-rate-limiter';
import { requestOf } from '../platform/http/requests/context.js';
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
import { createLimiter } from './create-limiter.js';

/** The limit of the key behind a request. */
const limitPerMinute = (context: ExecutionContext) => callerKeyOf(requestOf(context)).perMinute;

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
    { provide: RateLimiter, useFactory: createLimiter, inject: [CONFIG, Clock, UsageService, Metrics] },
  ],
  controllers: [RateLimitController, KeyLimitsController],
  exports: [AuthModule, RateLimitService],
})
export class RateLimitModule implements OnApplicationShutdown {
  constructor(private readonly limiter: RateLimiter) {}

  onApplicationShutdown(): Promise<void> {
    return this.limiter.close();
  }
}
