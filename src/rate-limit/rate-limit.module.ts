import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { AuthModule } from '../auth/auth.module.js';
import { Clock, MINUTE_MS, utcDay } from '../platform/common/time.js';
import { CONFIG } from '../platform/config/config.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { RefusedKeys } from './usage/refused-keys.js';
import { KeyUsageController, UsageController } from './usage/usage.controller.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsageService } from './usage/usage.service.js';
import { RateLimitController } from './rate-limit.controller.js';
import { RateLimitService } from './rate-limit.service.js';
import { CountersWithAllowances, HELD_MS } from './counters/allowances.js';
import { CountersWithFallback } from './counters/counters-with-fallback.js';
import { Counters, sharedLoad } from './counters/counters.js';
import { MemoryCounters } from './counters/memory-counters.js';
import { RedisCounters } from './counters/redis-counters.js';
import { connectRedis, type RedisConnection } from './redis-client.js';

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
  constructor(@Inject(REDIS) private readonly redis: RedisConnection) {}

  async onApplicationShutdown(): Promise<void> {
    if (!this.redis) return;
    // Until then what is left of allowances goes back.
    await pause(HELD_MS);
    // The listener is the one that connects to sentinels again.
    this.redis.removeAllListeners('end').disconnect();
  }
}

/** The counters of this process: in memory, or shared through Redis. */
function createCounters(
  redis: RedisConnection,
  clock: Clock,
  usage: UsageService,
  metrics: Metrics | null,
): Counters {
  const loadDailyCount = sharedLoad((keyId, dayStartMs) => usage.admittedOn(keyId, utcDay(dayStartMs)));
  const memory = new MemoryCounters(clock, loadDailyCount, redis !== null);
  const inRedis = redis && new CountersWithAllowances(new RedisCounters(redis, loadDailyCount));
  const shared = inRedis && new CountersWithFallback(inRedis, memory);
  metrics?.gauge('rate_limit_fallback', '1 while limits are decided in memory because Redis is away.', () =>
    shared?.isOnFallback ? 1 : 0,
  );
  return shared ?? memory;
}
