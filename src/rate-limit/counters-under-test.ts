import { randomUUID } from 'node:crypto';
import type { Counters, SeedOptions } from './counters.js';
import type { Decision, Subject } from './decision.js';
import { MemoryCounters } from './memory-counters.js';
import { connectRedis, waitUntilReady } from './redis-client.js';
import { RedisCounters } from './redis-counters.js';

/** What the specs of the stores share. */

/** Ten hours into a day, at the start of a minute and of ten. */
export const START_MS = Date.UTC(2026, 10, 20, 10);

export class TurnedClock {
  constructor(public ms = START_MS) {}
  nowMs(): number {
    return this.ms;
  }
}

export type CreateCounters = (clock: { nowMs(): number }, seeding?: SeedOptions) => Counters;

export const createMemoryCounters: CreateCounters = (clock, seeding) =>
  new MemoryCounters({ clock, ...seeding });

/** Counters in a Redis that others use too: under a prefix of their own, and gone afterwards. */
export async function openRedis(url: string | undefined) {
  const redis = connectRedis({ urls: [url ?? ''] }, () => undefined);
  await waitUntilReady(redis, 10_000);
  const keyPrefix = `test-${randomUUID()}:`;
  const create: CreateCounters = (clock, seeding) =>
    new RedisCounters(redis, { keyPrefix, testClock: clock, replyWithinMs: 10_000, ...seeding });
  const close = async () => {
    const keys = await redis.keys(`${keyPrefix}*`);
    while (keys.length > 0) await redis.del(...keys.splice(0, 1_000));
    redis.disconnect();
  };
  return { redis, keyPrefix, create, close };
}

export type OpenRedis = Awaited<ReturnType<typeof openRedis>>;

export function keySubject(changes: Partial<Subject> = {}): Subject {
  const limits = { perMinute: 3, perDay: 100, canBeBanned: true, ban: null, forgivenAtMs: 0 };
  return { id: `key:${randomUUID()}`, ...limits, ...changes };
}

/** Simultaneous requests. */
export function ask(counters: Counters, subject: Subject, count: number): Promise<Decision[]> {
  return Promise.all(Array.from({ length: count }, () => counters.decide(subject)));
}

export async function outcomes(counters: Counters, subject: Subject, count: number): Promise<string[]> {
  return (await ask(counters, subject, count)).map((decision) => decision.outcome);
}

export async function admittedOf(counters: Counters, subject: Subject, count: number): Promise<number> {
  return (await outcomes(counters, subject, count)).filter((outcome) => outcome === 'admitted').length;
}
