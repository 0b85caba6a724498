import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import { type Clock, utcDay } from '../platform/common/time.js';
import type { Config } from '../platform/config/config.js';
import type { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { CountersWithAllowances } from './counters/allowances.js';
import { CountersWithFallback } from './counters/counters-with-fallback.js';
import { type Counters, sharedLoad } from './counters/counters.js';
import { MemoryCounters } from './counters/memory-counters.js';
import { RedisCounters } from './counters/redis-counters.js';
import type { UsageService } from './usage/usage.service.js';

/** null: counters are in memory. */
export type RedisConnection = Redis | Cluster | null;

/** The service starts without Redis too. */
const WAIT_FOR_REDIS_MS = 1_000;

/** Opens the connection to Redis, where the environment names one. */
export async function connectRedis(
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
  // Without Redis the library is not loaded.
  const { createClient, evictingPolicy } = await import('./redis-client.js');
  const logger = new Logger('Redis');
  const redis = createClient(options);
  let firstError: Error | undefined;
  let hasDatabase = true;
  // An outage is logged once, by the counters; each failed attempt to connect only at debug level.
  redis.on('error', (error: Error & { command?: { name: string } }) => {
    // Later errors only follow from it.
    firstError ??= error;
    logger.debug({ err: error }, 'connection failed');
    if (error.command?.name !== 'select') return;
    // ioredis would go on in database 0, whose counters may be those of another service.
    redis.disconnect(true);
    if (hasDatabase) logger.error({ err: error }, 'Redis is not used: its database cannot be selected');
    hasDatabase = false;
  });
  // After each connection, because a failover may lead to a node with another configuration.
  redis.on('ready', () => {
    hasDatabase = true;
    const noteEviction = (maxmemoryPolicy: string | undefined) => {
      mayEvict = maxmemoryPolicy !== undefined;
      if (mayEvict)
        logger.warn({ maxmemoryPolicy }, 'Redis may evict counters: set its maxmemory-policy to noeviction');
    };
    evictingPolicy(redis).then(noteEviction, () => undefined);
  });
  await Promise.race([
    new Promise((resolve) => redis.once('ready', resolve)),
    pause(WAIT_FOR_REDIS_MS, undefined, { ref: false }),
  ]);
  if (redis.status !== 'ready')
    logger.warn(
      { err: firstError },
      'Redis does not answer yet: until it does, limits are decided in memory',
    );
  return redis;
}

/** The counters of this process: in memory, or shared through Redis. */
export function createCounters(
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
