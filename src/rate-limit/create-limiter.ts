import { Logger } from '@nestjs/common';
import { createRateLimiter, type RateLimiter } from 'exact-rate-limiter';
import { type Clock, utcDay } from '../platform/common/time.js';
import type { Config } from '../platform/config/config.js';
import type { Metrics } from '../platform/telemetry/metrics/metrics.js';
import type { UsageService } from './usage/usage.service.js';

/** The limiter of this service: in memory, or shared through Redis where the environment names one. */
export async function createLimiter(
  { redis }: Config,
  clock: Clock,
  usage: UsageService,
  metrics: Metrics | null,
): Promise<RateLimiter> {
  const logger = new Logger('RateLimit');
  const limiter = await createRateLimiter({
    redis: redis.urls.length > 0 ? redis : undefined,
    loadDailyCount: (keyId, dayStartMs) => usage.admittedOn(keyId, utcDay(dayStartMs)),
    logger: {
      debug: (fields, message) => logger.debug(fields, message),
      info: (fields, message) => logger.log(fields, message),
      warn: (fields, message) => logger.warn(fields, message),
      error: (fields, message) => logger.error(fields, message),
    },
    clock,
  });
  metrics?.gauge('rate_limit_fallback', '1 while limits are decided in memory because Redis is away.', () =>
    limiter.isOnFallback ? 1 : 0,
  );
  metrics?.gauge(
    'animal_store_redis_may_evict',
    '1 while the maxmemory-policy of Redis allows it to evict counters.',
    () => (limiter.mayEvict ? 1 : 0),
  );
  return limiter;
}
