import { randomUUID } from 'node:crypto';
import type { Counters, DailyCountOptions } from './counters.js';
import type { Decision, Subject } from '../decision/decision.js';
import { MemoryCounters } from './memory/memory-counters.js';
import { connectRedis, waitUntilReady } from './redis/redis-client.js';
import { RedisCounters } from './redis/redis-counters.js';

/** What the specs of the stores have in common. */

/** Ten hours into a day, at the start of a minute and of ten. */
export const START_MS = Date.UTC(2026, 10, 20, 10);

export class TurnedClock {
  constructor(public ms = START_MS) {}
  nowMs(): number {
    return this.ms;
  }
}

export type CreateCounters = (clock: { nowMs(): number }, dailyCounts?: DailyCountOptions) => Counters;

export const createMemoryCounters: CreateCounters = (clock, dailyCounts) =>
  new MemoryCounters({ clock, ...dailyCounts });

/** Counters in a shared Redis: under a prefix of their own, and deleted afterwards. */
export async function openRedis(url: string | undefined) {
  const redis = connectRedis({ urls: [url ?? ''] }, () => undefined);
  await waitUntilReady(redis, 10_000);
  const keyPrefix = `test-${randomUUID()}:`;
  const create: CreateCounters = (clock, dailyCounts) =>
    new RedisCounters(redis, { keyPrefix, testClock: clock, replyWithinMs: 10_000, ...dailyCounts });
  const close = async () => {
    const keys = await redis.keys(`${keyPrefix}*`);
    while (keys.length > 0) await redis.del(...keys.splice(0, 1_000));
    redis.disconnect();
  };
  return { redis, keyPrefix, create, close };
}

export type OpenRedis = Awaited<ReturnType<typeof openRedis>>;

export function keySubject(changes: Partial<Subject> = {}): Subject {
  const limits = { perMinute: 3, perDay: 100, canBeBanned: true, ban: null, penaltiesResetAtMs: 0 };
  return { id: `key:${randomUUID()}`, ...limits, ...changes };
}

/** Simultaneous requests. */
export function decideAtOnce(counters: Counters, subject: Subject, count: number): Promise<Decision[]> {
  return Promise.all(Array.from({ length: count }, () => counters.decide(subject)));
}

export async function outcomes(counters: Counters, subject: Subject, count: number): Promise<string[]> {
  return (await decideAtOnce(counters, subject, count)).map((decision) => decision.outcome);
}

export async function admittedOf(counters: Counters, subject: Subject, count: number): Promise<number> {
  return (await outcomes(counters, subject, count)).filter((outcome) => outcome === 'admitted').length;
}
