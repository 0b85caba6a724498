import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from '../auth/auth.module.js';
import { PLANS } from '../auth/plans.js';
import { Clock } from '../common/clock.js';
import { MINUTE_MS } from '../common/time.js';
import { CONFIG } from '../config/config.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { UsageModule } from '../usage/usage.module.js';
import { UsageService } from '../usage/usage.service.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitService } from './rate-limit.service.js';
import { COUNTERS } from './stores/counters.js';
import { connectCounters, createCounters, type Connection } from './stores/create-counters.js';

const REDIS = Symbol('REDIS');

@Module({
  imports: [
    AuthModule,
    UsageModule,
    // The throttler requires a limit. PlanThrottlerGuard takes those of the caller, and RateLimitService counts.
    ThrottlerModule.forRoot([{ limit: PLANS.free.perMinute, ttl: MINUTE_MS }]),
  ],
  controllers: [RateLimitController],
  providers: [
    RateLimitService,
    { provide: REDIS, useFactory: connectCounters, inject: [CONFIG, Metrics] },
    { provide: COUNTERS, useFactory: createCounters, inject: [REDIS, Clock, UsageService, Metrics] },
  ],
  exports: [AuthModule, RateLimitService, ThrottlerModule],
})
export class RateLimitModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Connection) {}

  onApplicationShutdown(): void {
    // The listener is the one that connects to sentinels again.
    this.redis?.removeAllListeners('end').disconnect();
  }
}
