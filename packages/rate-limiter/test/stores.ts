import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import type { Counters } from '../src/counters.js';
import type { LoadDailyCount } from '../src/daily-count.js';
import type { Decision, Subject } from '../src/decision.js';
import { type Logger, SILENT } from '../src/logger.js';
import { MemoryCounters } from '../src/memory-counters.js';
import { CountersWithAllowances } from '../src/redis/allowances.js';
import { connectRedis, waitUntilReady } from '../src/redis/connect.js';
import { timingOf } from './clocks.js';
import { RedisCounters } from '../src/redis/redis-counters.js';

/** Usage has recorded nothing. */
export const noUsage: LoadDailyCount = () => Promise.resolve(0);

export type CreateCounters = (clock: { nowMs(): number }, loadDailyCount?: LoadDailyCount) => Counters;

/** Connects to one server, and waits for it. */
export async function connectTo(url: string): Promise<Redis | Cluster> {
  const redis = connectRedis({ urls: [url] }, () => undefined);
  await waitUntilReady(redis, 20_000);
  return redis;
}

/** Counters in Redis that wait for a busy machine, by the clock of Redis unless a test turns one. */
export function inRedis(
  redis: Redis | Cluster,
  loadDailyCount = noUsage,
  testClock?: { nowMs(): number },
  logger: Logger = SILENT,
): RedisCounters {
  const options = { loadDailyCount, logger, replyWithinMs: 10_000 };
  return new RedisCounters(redis, testClock ? { ...options, testClock } : options);
}

/** Tests counters in an empty Redis: a logical database for each worker of Jest. Skipped without TEST_REDIS_URL. */
export function describeInRedis(what: string, tests: (redis: () => Redis | Cluster) => void): void {
  const server = process.env.TEST_REDIS_URL;
  (server ? describe : describe.skip)(`${what} in Redis (TEST_REDIS_URL)`, () => {
    let redis: Redis | Cluster;
    beforeAll(async () => {
      const pathname = `/${process.env.JEST_WORKER_ID ?? '1'}`;
      redis = await connectTo(Object.assign(new URL(server ?? ''), { pathname }).href);
      await redis.flushdb();
    });
    afterAll(() => redis.disconnect());
    tests(() => redis);
  });
}

/** The same tests for every store. */
export function describeStores(what: string, tests: (create: CreateCounters) => void): void {
  describe(`${what} in memory`, () => {
    tests((clock, loadDailyCount = noUsage) => new MemoryCounters({ clock, loadDailyCount }));
  });
  describeInRedis(what, (redis) => {
    tests((clock, load) => new CountersWithAllowances(inRedis(redis(), load, clock), timingOf(clock)));
  });
}

export function keySubject(changes: Partial<Subject> = {}): Subject {
  const limits = { perMinute: 3, perDay: 100, ban: null, penaltiesResetAtMs: 0 };
  return { id: randomUUID(), ...limits, ...changes };
}

/** Sends simultaneous requests. */
export function decideAtOnce(counters: Counters, subject: Subject, count: number): Promise<Decision[]> {
  return Promise.all(Array.from({ length: count }, async () => counters.decide(subject)));
}

export async function outcomes(counters: Counters, subject: Subject, count: number): Promise<string[]> {
  return (await decideAtOnce(counters, subject, count)).map((decision) => decision.outcome);
}

export async function admittedOf(counters: Counters, subject: Subject, count: number): Promise<number> {
  return (await outcomes(counters, subject, count)).filter((outcome) => outcome === 'admitted').length;
}
