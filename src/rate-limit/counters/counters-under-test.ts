import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import type { Decision, Subject } from '../decision.js';
import { connectRedis, waitUntilReady } from '../redis-client.js';
import { CountersWithAllowances, type Timing } from './allowances.js';
import type { Counters, LoadDailyCount } from './counters.js';
import { MemoryCounters } from './memory-counters.js';
import { RedisCounters } from './redis-counters.js';

/** Shared by the specs of counters. */

/** 10:00 UTC: the start of a minute and of ten minutes. */
export const START_MS = Date.UTC(2026, 10, 20, 10);

export class TurnedClock {
  constructor(public ms = START_MS) {}
  nowMs(): number {
    return this.ms;
  }
}

/** Runs timers in the order of their time, as fast as it can. Promises settle between them. */
export class VirtualTime implements Timing {
  private readonly timers: { atMs: number; work: () => unknown }[] = [];

  constructor(public ms = START_MS) {}

  nowMs(): number {
    return Math.floor(this.ms);
  }

  monotonicMs(): number {
    return this.ms;
  }

  after(ms: number, work: () => unknown): void {
    const atMs = this.ms + ms;
    let index = this.timers.length;
    while (index > 0 && (this.timers[index - 1]?.atMs ?? 0) > atMs) index -= 1;
    this.timers.splice(index, 0, { atMs, work });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs every timer until `ms` have passed; by default until none is left. */
  async run(ms = Infinity): Promise<void> {
    const endMs = this.ms + ms;
    for (let next = this.timers[0]; next && next.atMs <= endMs; next = this.timers[0]) {
      this.timers.shift();
      this.ms = next.atMs;
      await next.work();
      await settled();
    }
    if (ms !== Infinity) this.ms = endMs;
  }
}

/** Resolves when all promises have settled that wait for nothing outside. */
export const settled = () => new Promise(setImmediate);

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
    tests((clock, load) => new CountersWithAllowances(inRedis(redis(), load, clock)));
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
