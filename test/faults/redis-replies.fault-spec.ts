import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Redis, type Cluster } from 'ioredis';
import { cleanUp } from '../support/clean-up.js';
import { CountersWithAllowances } from '../../src/rate-limit/counters/allowances.js';
import { connectTo, keySubject } from '../../src/rate-limit/counters/counters-under-test.js';
import { CountersWithFallback } from '../../src/rate-limit/counters/counters-with-fallback.js';
import { MemoryCounters } from '../../src/rate-limit/counters/memory-counters.js';
import { RedisCounters } from '../../src/rate-limit/counters/redis-counters.js';
import { atOnce, until } from '../support/until.js';
import { RedisServer } from './support/redis-server.js';

const DECIDED_WITHIN_MS = 100;
const TICK_MS = 5;

describe('counters with a faulty Redis', () => {
  let server: RedisServer;
  let redis: Redis | Cluster;
  let log: string[];
  let counters: CountersWithFallback;
  const subject = keySubject({ perMinute: 1_000_000 });

  beforeEach(async () => {
    server = await RedisServer.start();
    redis = await connectTo(server.url);
    log = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => log.push('outage'));
    jest.spyOn(Logger.prototype, 'log').mockImplementation(() => log.push('recovery'));
    const usage = { loadDailyCount: () => Promise.resolve(20) };
    const shared = new CountersWithAllowances(new RedisCounters(redis, usage));
    const clock = { nowMs: () => Date.now() };
    counters = new CountersWithFallback(shared, new MemoryCounters({ ...usage, clock, isFallback: true }));
    expect(await admittedOf32()).toBe(32);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    redis.disconnect();
    await cleanUp();
  });

  /** Sends 32 requests at a time; each must be decided in time. Returns how many were admitted. */
  async function admittedOf32(): Promise<number> {
    // Time in which this process does not run is not counted.
    let stalledMs = 0;
    let lastMs = performance.now();
    const watch = () => {
      stalledMs += Math.max(0, performance.now() - lastMs - TICK_MS - 1);
      lastMs = performance.now();
    };
    const watching = setInterval(watch, TICK_MS);
    const startMs = performance.now();
    const decisions = await atOnce(32, () => counters.decide(subject));
    watch();
    clearInterval(watching);
    expect(performance.now() - startMs - stalledMs).toBeLessThan(DECIDED_WITHIN_MS);
    return decisions.filter(({ outcome }) => outcome === 'admitted').length;
  }

  /** Resolves when the caller is decided in Redis again. */
  const untilShared = () => until(async () => (await counters.peek(subject)).source === 'redis');

  it('decide from the last known counts while it is frozen, and count each request once afterwards', async () => {
    server.freeze();
    // 52 used, 48 left, for 64 requests.
    expect((await admittedOf32()) + (await admittedOf32())).toBe(48);
    expect([counters.isOnFallback, ...log]).toEqual([true, 'outage']);
    server.thaw();
    await untilShared();
    // The frozen Redis had received the first 32 of these calls, and counted them.
    expect((await counters.peek(subject)).windows[1]?.used).toBe(84);
    await until(() => !counters.isOnFallback);
    await counters.peek(subject);
    expect(log).toEqual(['outage', 'recovery']);
  });

  it('decide from the last known counts after it is killed, and in Redis when it runs again', async () => {
    await server.kill();
    expect((await admittedOf32()) + (await admittedOf32())).toBe(48);
    await server.startAgain();
    await untilShared();
    // Today's count starts from what usage has recorded.
    expect((await counters.peek(subject)).windows[1]?.used).toBe(20);
    expect(log[0]).toBe('outage');
  });

  it('decide in memory while it is a read-only replica, as in a failover', async () => {
    await redis.call('REPLICAOF', '127.0.0.1', '1');
    expect(await admittedOf32()).toBe(32);
    expect([counters.isOnFallback, ...log]).toEqual([true, 'outage']);
    const admin = new Redis(server.url);
    await admin.call('REPLICAOF', 'NO', 'ONE');
    admin.disconnect();
    await untilShared();
    expect((await counters.peek(subject)).windows[1]?.used).toBe(52);
  });
});
