import type { Counters } from './counters.js';
import { CountersWithFallback } from './counters-with-fallback.js';
import { type LoadDailyCount, sharedLoad } from './daily-count.js';
import type { Decision, Subject } from './decision.js';
import { type Logger, SILENT } from './logger.js';
import { MemoryCounters } from './memory-counters.js';
import type { RedisTarget } from './redis/connect.js';
import { type Clock, SYSTEM_CLOCK } from './time.js';

export interface RateLimiterOptions {
  /** Absent: limits are counted in memory, for this process alone. */
  redis?: RedisTarget | undefined;
  /**
   * Where the application records what it admits, for example in a database: today's count starts from it when Redis or this process
   * has none. It may take a second. Absent: it starts at zero.
   */
  loadDailyCount?: LoadDailyCount;
  /** By default nothing is logged. */
  logger?: Logger;
  /** Decides without Redis, whose own clock decides otherwise, and measures durations. By default the clock of the machine. */
  clock?: Clock;
}

/** Limits by minute and UTC day, with bans, exact over all processes that share a Redis. A class, so that it can be injected. */
export abstract class RateLimiter {
  /** Redis is away, and limits of some subject are decided in memory. */
  abstract readonly isOnFallback: boolean;
  /** The `maxmemory-policy` of Redis allows it to evict counters. */
  abstract readonly mayEvict: boolean;
  /** Counts one request, or refuses it. A promise only where the decision has to wait; it never rejects. */
  abstract decide(subject: Subject): Decision | Promise<Decision>;
  /** What a request would get, without counting it. */
  abstract peek(subject: Subject): Decision | Promise<Decision>;
  /** Returns what this process holds to Redis, and disconnects. Call it before the process stops. */
  abstract close(): Promise<void>;
}

/** Connects to Redis, where it is named, and waits for it for a second. It never rejects: without Redis, memory decides. */
export async function createRateLimiter({
  redis,
  loadDailyCount = () => Promise.resolve(0),
  logger = SILENT,
  clock = SYSTEM_CLOCK,
}: RateLimiterOptions = {}): Promise<RateLimiter> {
  const load = sharedLoad(loadDailyCount, logger);
  const memory = new MemoryCounters({ clock, loadDailyCount: load, isFallback: redis !== undefined });
  if (!redis) return limiterOf(memory, { isOnFallback: false }, { mayEvict: false, close: () => undefined });
  // A process without Redis does not load its client.
  const { RedisConnection } = await import('./redis/connection.js');
  const { RedisCounters } = await import('./redis/redis-counters.js');
  const { CountersWithAllowances, timingBy } = await import('./redis/allowances.js');
  const connection = new RedisConnection(redis, logger);
  const inRedis = new RedisCounters(connection.client, { loadDailyCount: load, logger });
  const withAllowances = new CountersWithAllowances(inRedis, timingBy(clock));
  const counters = new CountersWithFallback(withAllowances, memory, logger, () => clock.monotonicMs());
  await connection.waitUntilReady();
  return limiterOf(counters, counters, connection);
}

function limiterOf(
  counters: Counters,
  fallback: { readonly isOnFallback: boolean },
  connection: { readonly mayEvict: boolean; close(): void },
): RateLimiter {
  return {
    decide: (subject) => counters.decide(subject),
    peek: (subject) => counters.peek(subject),
    get isOnFallback() {
      return fallback.isOnFallback;
    },
    get mayEvict() {
      return connection.mayEvict;
    },
    close: async () => {
      await counters.close();
      connection.close();
    },
  };
}
