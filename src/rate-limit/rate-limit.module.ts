import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from '../auth/auth.module.js';
import { Clock, MINUTE_MS } from '../platform/common/time.js';
import { CONFIG } from '../platform/config/config.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { RefusedKeys } from './usage/refused-keys.js';
import { KeyUsageController, UsageController } from './usage/usage.controller.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsageService } from './usage/usage.service.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitService } from './rate-limit.service.js';
import { Counters } from './counters/counters.js';
import { connectRedis, createCounters, type RedisConnection } from './create-counters.js';

const REDIS = Symbol('REDIS');

@Module({
  imports: [
    AuthModule,
    // Limits belong to the caller's plan: PlanThrottlerGuard decides, and reads from the throttler what is skipped.
    ThrottlerModule.forRoot([{ limit: 0, ttl: MINUTE_MS }]),
  ],
  controllers: [RateLimitController, UsageController, KeyUsageController],
  providers: [
    RateLimitService,
    RefusedKeys,
    UsageRepository,
    UsageService,
    { provide: REDIS, useFactory: connectRedis, inject: [CONFIG, Metrics] },
    { provide: Counters, useFactory: createCounters, inject: [REDIS, Clock, UsageService, Metrics] },
  ],
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
