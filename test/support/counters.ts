import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import type { Counters, LoadDailyCount } from '../../src/rate-limit/counters/counters.js';
import type { Decision, Subject } from '../../src/rate-limit/decision.js';
import { MemoryCounters } from '../../src/rate-limit/counters/memory-counters.js';
import { connectRedis, waitUntilReady } from '../../src/rate-limit/counters/redis-client.js';
import { RedisCounters } from '../../src/rate-limit/counters/redis-counters.js';
import { cleanUp } from './clean-up.js';
import { redisKinds } from './servers/redis.js';

/** Shared by the specs of the stores. */

/** 10:00 UTC: the start of a minute and of ten minutes. */
export const START_MS = Date.UTC(2026, 10, 20, 10);

export class TurnedClock {
  constructor(public ms = START_MS) {}
  nowMs(): number {
    return this.ms;
  }
}

/** Usage has recorded nothing. */
export const noUsage: LoadDailyCount = () => Promise.resolve(0);

export type CreateCounters = (clock: { nowMs(): number }, loadDailyCount?: LoadDailyCount) => Counters;

/** Connects to one server, and waits for it. */
export async function connectTo(url: string): Promise<Redis | Cluster> {
  const redis = connectRedis({ urls: [url], cluster: false, sentinelMaster: undefined }, () => undefined);
  await waitUntilReady(redis, 20_000);
  return redis;
}

/** Counters in Redis that wait for a busy machine, by the clock of Redis unless a test turns one. */
export function inRedis(
  redis: Redis | Cluster,
  loadDailyCount = noUsage,
  testClock?: { nowMs(): number },
): RedisCounters {
  return new RedisCounters(redis, { loadDailyCount, replyWithinMs: 10_000, ...(testClock && { testClock }) });
}

/** Tests counters in an empty Redis. Skipped without TEST_REDIS_URL. */
export function describeInRedis(what: string, tests: (redis: () => Redis | Cluster) => void): void {
  const kind = redisKinds.find(({ name }) => name === 'in Redis');
  (kind ? describe : describe.skip)(`${what} in Redis (TEST_REDIS_URL)`, () => {
    let redis: Redis | Cluster;
    beforeAll(async () => {
      redis = await connectTo((await kind!.create()).env.REDIS_URL!);
    });
    afterAll(() => {
      redis.disconnect();
      return cleanUp();
    });
    tests(() => redis);
  });
}

/** The same tests for every store. */
export function describeStores(what: string, tests: (create: CreateCounters) => void): void {
  describe(`${what} in memory`, () => {
    tests((clock, loadDailyCount = noUsage) => new MemoryCounters({ clock, loadDailyCount }));
  });
  describeInRedis(what, (redis) => tests((clock, load) => inRedis(redis(), load, clock)));
}

export function keySubject(changes: Partial<Subject> = {}): Subject {
  const limits = { perMinute: 3, perDay: 100, ban: null, penaltiesResetAtMs: 0 };
  return { id: randomUUID(), ...limits, ...changes };
}

/** Sends simultaneous requests. */
export function decideAtOnce(counters: Counters, subject: Subject, count: number): Promise<Decision[]> {
  return Promise.all(Array.from({ length: count }, () => counters.decide(subject)));
}

export async function outcomes(counters: Counters, subject: Subject, count: number): Promise<string[]> {
  return (await decideAtOnce(counters, subject, count)).map((decision) => decision.outcome);
}

export async function admittedOf(counters: Counters, subject: Subject, count: number): Promise<number> {
  return (await outcomes(counters, subject, count)).filter((outcome) => outcome === 'admitted').length;
}
