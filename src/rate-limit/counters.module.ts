import { Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Cluster, Redis } from 'ioredis';
import { AuthModule } from '../auth/auth.module.js';
import { Clock } from '../common/clock.js';
import { CONFIG, type Config } from '../config/config.js';
import { CountersWithFallback } from './counters-with-fallback.js';
import { COUNTERS, type Counters, type SeedOptions } from './counters.js';
import { DecisionMetrics } from './decision-metrics.js';
import { MemoryCounters } from './memory-counters.js';
import { PlanStorage } from './plan-storage.js';
import { connectRedis, waitUntilReady } from './redis-client.js';
import { RedisCounters } from './redis-counters.js';
import { keyIdOf } from './subject.js';
import { UsageDayEntity } from './usage-day.entity.js';
import { UsageRecorder } from './usage-recorder.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';
import { utcDay } from './utc-day.js';

const REDIS = Symbol('REDIS');
/** Null: counted in memory. */
type Connection = Redis | Cluster | null;

/** The service starts without Redis too. */
const WAIT_FOR_REDIS_MS = 1_000;

/** The counters of this process: in memory, or shared through Redis. */
@Module({
  imports: [AuthModule, TypeOrmModule.forFeature([UsageDayEntity])],
  providers: [
    DecisionMetrics,
    PlanStorage,
    UsageRecorder,
    UsageRepository,
    UsageService,
    { provide: REDIS, useFactory: connect, inject: [CONFIG] },
    { provide: COUNTERS, useFactory: createCounters, inject: [REDIS, Clock, UsageService] },
  ],
  exports: [DecisionMetrics, PlanStorage, UsageService],
})
export class CountersModule implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Connection) {}

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }
}

async function connect({ redis: { urls, cluster } }: Config): Promise<Connection> {
  if (urls.length === 0) return null;
  const logger = new Logger('Redis');
  // An outage is logged once, where it is felt; each failed attempt to connect is for debugging.
  const redis = connectRedis({ urls, isCluster: cluster }, (error) => {
    logger.debug({ err: error }, 'connection failed');
  });
  await waitUntilReady(redis, WAIT_FOR_REDIS_MS);
  if (redis.status !== 'ready')
    logger.warn('Redis does not answer yet: until it does, limits are decided in memory');
  return redis;
}

function createCounters(redis: Connection, clock: Clock, usage: UsageService): Counters {
  const logger = new Logger('RateLimit');
  const seeds: SeedOptions = {
    seedDay: async (subjectId, dayStartMs) => {
      const keyId = keyIdOf(subjectId);
      return keyId === undefined ? 0 : usage.admittedOn(keyId, utcDay(dayStartMs));
    },
    onSeedFailed: (subjectId, error) => {
      logger.warn({ subjectId, err: error }, "today's count starts without what usage has recorded");
    },
  };
  if (!redis) return new MemoryCounters({ ...seeds, clock });
  const shared = new RedisCounters(redis, {
    ...seeds,
    onBroken: (subjectId, what) => {
      logger.warn({ subjectId, what }, 'dropped a foreign or broken counter in Redis');
    },
  });
  return new CountersWithFallback(shared, {
    ...seeds,
    clock,
    onOutage: (error) => logger.warn({ err: error }, 'Redis is away: limits are decided in memory'),
    onRecovery: (outage) => logger.log({ ...outage }, 'Redis is back: limits are shared again'),
  });
}
