import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from '../auth/auth.module.js';
import { Clock, MINUTE_MS } from '../platform/common/time.js';
import { CONFIG } from '../platform/config/config.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { UsageModule } from './usage/usage.module.js';
import { UsageService } from './usage/usage.service.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitService } from './rate-limit.service.js';
import { Counters } from './counters/counters.js';
import { connectCounters, createCounters, type Connection } from './counters/create-counters.js';

const REDIS = Symbol('REDIS');

@Module({
  // Limits belong to plans: the throttler's own are unused, and its guard is extended by PlanThrottlerGuard.
  imports: [AuthModule, UsageModule, ThrottlerModule.forRoot([{ limit: 1, ttl: MINUTE_MS }])],
  providers: [
    RateLimitService,
    { provide: REDIS, useFactory: connectCounters, inject: [CONFIG, Metrics] },
    { provide: Counters, useFactory: createCounters, inject: [REDIS, Clock, UsageService, Metrics] },
  ],
  controllers: [RateLimitController],
  exports: [AuthModule, RateLimitService],
})
export class RateLimitModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Connection) {}

  onApplicationShutdown(): void {
    // The listener is the one that connects to sentinels again.
    this.redis?.removeAllListeners('end').disconnect();
  }
}
