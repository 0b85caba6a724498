import { Inject, Module, type OnApplicationShutdown, Logger } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import { AuthModule } from '../../auth/auth.module.js';
import { Clock, utcDay } from '../../common/time.js';
import { CONFIG, type Config } from '../../config/config.js';
import { Metrics } from '../../telemetry/metrics/metrics.js';
import { UsageModule } from '../../usage/usage.module.js';
import { UsageService } from '../../usage/usage.service.js';
import { keyIdOf } from '../decision.js';
import { RateLimitService } from '../rate-limit.service.js';
import { CountersWithFallback } from './counters-with-fallback.js';
import { Counters, type DailyCountOptions } from './counters.js';
import { MemoryCounters } from './memory-counters.js';

/** null: counters are in memory. */
export type Connection = Redis | Cluster | null;

/** The service starts without Redis too. */
const WAIT_FOR_REDIS_MS = 1_000;

/** Opens the connection to Redis, where the environment names one. */
export async function connectCounters(
  { redis: { urls, cluster, sentinelMaster } }: Config,
  metrics: Metrics | null,
): Promise<Connection> {
  let mayEvict = false;
  metrics?.gauge(
    'rate_limit_redis_may_evict',
    '1 while the maxmemory-policy of Redis allows it to evict counters.',
    () => (mayEvict ? 1 : 0),
  );
  if (urls.length === 0) return null;
  const { connectRedis, evictingPolicies, isFailedSelect, waitUntilReady } =
    await import('./redis/redis-client.js');
  const logger = new Logger('Redis');
  let hasDatabase = true;
  let firstError: Error | undefined;
  // An outage is logged once, by the counters; each failed attempt to connect only at debug level.
  const redis = connectRedis({ urls, isCluster: cluster, sentinelMaster }, (error) => {
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
    evictingPolicies(redis).then(
      ([maxmemoryPolicy]) => {
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
  redis: Connection,
  clock: Clock,
  usage: UsageService,
  metrics: Metrics | null,
): Promise<Counters> {
  const logger = new Logger('RateLimit');
  const dailyCounts: DailyCountOptions = {
    loadDailyCount: async (subjectId, dayStartMs) => {
      const keyId = keyIdOf(subjectId);
      return keyId === undefined ? 0 : usage.admittedOn(keyId, utcDay(dayStartMs));
    },
    onLoadFailed: (subjectId, error) => {
      logger.warn({ subjectId, err: error }, "today's count starts without what usage has recorded");
    },
  };
  const fallback = redis ? await createSharedCounters(redis, clock, dailyCounts, logger) : undefined;
  metrics?.gauge('rate_limit_fallback', '1 while limits are decided in memory because Redis is away.', () =>
    fallback?.isOnFallback ? 1 : 0,
  );
  return fallback ?? new MemoryCounters({ ...dailyCounts, clock });
}

async function createSharedCounters(
  redis: Redis | Cluster,
  clock: Clock,
  dailyCounts: DailyCountOptions,
  logger: Logger,
): Promise<CountersWithFallback> {
  const { RedisCounters } = await import('./redis/redis-counters.js');
  const shared = new RedisCounters(redis, {
    ...dailyCounts,
    onBroken: (subjectId, what) => {
      logger.warn({ subjectId, what }, 'dropped a foreign or broken counter in Redis');
    },
  });
  // Only a Cluster has nodes to tell apart.
  const node = (shard: string) => (shard === '' ? {} : { node: shard });
  return new CountersWithFallback(shared, {
    ...dailyCounts,
    clock,
    onOutage: (error, shard) => {
      logger.warn({ err: error, ...node(shard) }, 'Redis is away: limits are decided in memory');
    },
    onRecovery: (outage, shard) => {
      logger.log({ ...outage, ...node(shard) }, 'Redis is back: limits are shared again');
    },
  });
}

const REDIS = Symbol('REDIS');

/** The service that takes decisions, which the throttler's module needs as its storage. */
@Module({
  imports: [AuthModule, UsageModule],
  providers: [
    RateLimitService,
    { provide: REDIS, useFactory: connectCounters, inject: [CONFIG, Metrics] },
    { provide: Counters, useFactory: createCounters, inject: [REDIS, Clock, UsageService, Metrics] },
  ],
  exports: [RateLimitService],
})
export class CountersModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Connection) {}

  onApplicationShutdown(): void {
    // The listener is the one that connects to sentinels again.
    this.redis?.removeAllListeners('end').disconnect();
  }
}
