import { Logger } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import { type Clock, utcDay } from '../platform/common/time.js';
import type { Config } from '../platform/config/config.js';
import type { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { CountersWithFallback } from './counters/counters-with-fallback.js';
import { type Counters, sharedLoad } from './counters/counters.js';
import { MemoryCounters } from './counters/memory-counters.js';
import type { UsageService } from './usage/usage.service.js';

/** null: counters are in memory. */
export type RedisConnection = Redis | Cluster | null;

/** The service starts without Redis too. */
const WAIT_FOR_REDIS_MS = 1_000;

/** Opens the connection to Redis, where the environment names one. */
export async function connectCounters(
  { redis: options }: Config,
  metrics: Metrics | null,
): Promise<RedisConnection> {
  let mayEvict = false;
  metrics?.gauge(
    'animal_store_redis_may_evict',
    '1 while the maxmemory-policy of Redis allows it to evict counters.',
    () => (mayEvict ? 1 : 0),
  );
  if (options.urls.length === 0) return null;
  const { connectRedis, evictingPolicy, isFailedSelect, waitUntilReady } = await import('./redis-client.js');
  const logger = new Logger('Redis');
  let hasDatabase = true;
  let firstError: Error | undefined;
  // An outage is logged once, by the counters; each failed attempt to connect only at debug level.
  const redis = connectRedis(options, (error) => {
    // Later errors only follow from it.
    firstError ??= error;
    if (hasDatabase && isFailedSelect(error)) {
      logger.error({ err: error }, 'Redis is not used: its database cannot be selected');
      hasDatabase = false;
    }
    logger.debug({ err: error }, 'connection failed');
  });
  // After each connection, because a failover may lead to a node with another configuration.
  redis.on('ready', () => {
    hasDatabase = true;
    evictingPolicy(redis).then(
      (maxmemoryPolicy) => {
        if (maxmemoryPolicy !== undefined && !mayEvict)
          logger.warn(
            { maxmemoryPolicy },
            'Redis may evict counters: set its maxmemory-policy to noeviction',
          );
        mayEvict = maxmemoryPolicy !== undefined;
      },
      (error: unknown) => logger.debug({ err: error }, 'cannot read the maxmemory-policy'),
    );
  });
  await waitUntilReady(redis, WAIT_FOR_REDIS_MS);
  if (redis.status !== 'ready')
    logger.warn(
      { err: firstError },
      'Redis does not answer yet: until it does, limits are decided in memory',
    );
  return redis;
}

/** The counters of this process: in memory, or shared through Redis. */
export async function createCounters(
  redis: RedisConnection,
  clock: Clock,
  usage: UsageService,
  metrics: Metrics | null,
): Promise<Counters> {
  const loadDailyCount = sharedLoad((keyId, dayStartMs) => usage.admittedOn(keyId, utcDay(dayStartMs)));
  const memory = new MemoryCounters({ clock, loadDailyCount, isFallback: redis !== null });
  let shared: CountersWithFallback | undefined;
  if (redis) {
    const { RedisCounters } = await import('./counters/redis-counters.js');
    const { CountersWithAllowances } = await import('./counters/allowances.js');
    const inRedis = new RedisCounters(redis, { loadDailyCount });
    shared = new CountersWithFallback(new CountersWithAllowances(inRedis), memory);
  }
  metrics?.gauge('rate_limit_fallback', '1 while limits are decided in memory because Redis is away.', () =>
    shared?.isOnFallback ? 1 : 0,
  );
  return shared ?? memory;
}
