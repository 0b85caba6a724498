import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Counters, DailyCountOptions } from '../../src/rate-limit/stores/counters.js';
import type { Decision, Subject } from '../../src/rate-limit/decision.js';
import { MemoryCounters } from '../../src/rate-limit/stores/memory-counters.js';
import { connectRedis, waitUntilReady } from '../../src/rate-limit/stores/redis/redis-client.js';
import { RedisCounters } from '../../src/rate-limit/stores/redis/redis-counters.js';

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
export const noUsage: DailyCountOptions = { loadDailyCount: () => Promise.resolve(0) };

export type CreateCounters = (clock: { nowMs(): number }, dailyCounts?: DailyCountOptions) => Counters;

const createMemoryCounters: CreateCounters = (clock, dailyCounts = noUsage) =>
  new MemoryCounters({ clock, ...dailyCounts });

/** Tests counters in the Redis of TEST_REDIS_URL, under a unique prefix that is deleted afterwards. Skipped without that variable. */
export function describeInRedis(what: string, tests: (opened: () => OpenRedis) => void): void {
  (process.env.TEST_REDIS_URL ? describe : describe.skip)(`${what} in Redis (TEST_REDIS_URL)`, () => {
    let opened: OpenRedis;
    beforeAll(async () => {
      opened = await openRedis();
    });
    afterAll(() => opened.close());
    tests(() => opened);
  });
}

/** The same tests for every store. */
export function describeStores(what: string, tests: (create: CreateCounters) => void): void {
  describe(`${what} in memory`, () => tests(createMemoryCounters));
  describeInRedis(what, (opened) => tests((...options) => opened().create(...options)));
}

async function connectToTestRedis() {
  const redis = connectRedis({ urls: [process.env.TEST_REDIS_URL ?? ''] }, () => undefined);
  await waitUntilReady(redis, 10_000);
  return redis;
}

async function openRedis() {
  const redis = await connectToTestRedis();
  const keyPrefix = `test-${randomUUID()}:`;
  const create: CreateCounters = (clock, dailyCounts = noUsage) =>
    new RedisCounters(redis, { keyPrefix, testClock: clock, replyWithinMs: 10_000, ...dailyCounts });
  const close = async () => {
    const keys = await redis.keys(`${keyPrefix}*`);
    while (keys.length > 0) await redis.del(...keys.splice(0, 1_000));
    redis.disconnect();
  };
  return { redis, keyPrefix, create, close };
}

type OpenRedis = Awaited<ReturnType<typeof openRedis>>;

export function keySubject(changes: Partial<Subject> = {}): Subject {
  const limits = { perMinute: 3, perDay: 100, ban: null, penaltiesResetAtMs: 0 };
  return { id: `key:${randomUUID()}`, ...limits, ...changes };
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

/** Repeats a check until it holds; the test's timeout is its limit. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 1));
}
