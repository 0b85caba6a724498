import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import { keySubject, until } from '../../../../test/support/counters.js';
import { CountersWithFallback } from '../counters-with-fallback.js';
import type { Subject } from '../../decision.js';
import { connectRedis, evictingPolicies, waitUntilReady } from './redis-client.js';
import { RedisCounters } from './redis-counters.js';

const DECIDED_WITHIN_MS = 100;
const TICK_MS = 5;

const server = [
  '/usr/bin/redis-server',
  '/usr/local/bin/redis-server',
  '/opt/homebrew/bin/redis-server',
].find(existsSync);

/** Kernels choose no port of this range for a connection. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(17_000, 22_000);
    const probe = createServer();
    const isFree = await new Promise((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}

(server ? describe : describe.skip)('counters with a faulty Redis (needs redis-server)', () => {
  let directory: string;
  let port: number;
  let child: ChildProcess;
  let redis: Redis | Cluster;
  let log: string[];
  let shared: RedisCounters;
  let counters: CountersWithFallback;
  let subject: Subject;

  async function start(...options: string[]): Promise<void> {
    const store = ['--save', '', '--appendonly', 'no', '--dir', directory];
    child = spawn(server ?? '', ['--port', String(port), '--bind', '127.0.0.1', ...store, ...options], {
      stdio: 'ignore',
    });
    (await connectAdmin()).disconnect();
  }

  async function connectAdmin() {
    const admin = connectRedis({ urls: [`redis://127.0.0.1:${port}`] }, () => undefined);
    await waitUntilReady(admin, 20_000);
    return admin;
  }

  async function connect(): Promise<void> {
    redis = connectRedis({ urls: [`redis://127.0.0.1:${port}`] }, () => undefined);
    await waitUntilReady(redis, 20_000);
    const usage = { loadDailyCount: () => Promise.resolve(20) };
    shared = new RedisCounters(redis, usage);
    counters = new CountersWithFallback(shared, {
      ...usage,
      clock: { nowMs: () => Date.now() },
      onOutage: () => log.push('outage'),
      onRecovery: () => log.push('recovery'),
    });
  }

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
    const decisions = await Promise.all(Array.from({ length: 32 }, () => counters.decide(subject)));
    watch();
    clearInterval(watching);
    expect(performance.now() - startMs - stalledMs).toBeLessThan(DECIDED_WITHIN_MS);
    return decisions.filter(({ outcome }) => outcome === 'admitted').length;
  }

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rate-limit-redis-'));
    port = await freePort();
    log = [];
    subject = keySubject({ perMinute: 1_000_000 });
  });

  afterEach(async () => {
    const exit = once(child, 'exit');
    if (child.kill('SIGKILL')) await exit;
    rmSync(directory, { recursive: true, force: true });
    redis.disconnect();
  });

  it('decide from the last known counts while it is frozen, and count each request once afterwards', async () => {
    await start();
    await connect();
    expect(await admittedOf32()).toBe(32);
    child.kill('SIGSTOP');
    // 52 used, 48 left, for 64 requests.
    expect((await admittedOf32()) + (await admittedOf32())).toBe(48);
    await until(() => counters.isOnFallback);
    expect(log).toEqual(['outage']);
    child.kill('SIGCONT');
    await until(() => !counters.isOnFallback);
    expect(log).toEqual(['outage', 'recovery']);
    // The frozen Redis had received all of these calls, and counted up to the limit.
    expect((await counters.peek(subject)).windows[1]?.used).toBe(100);
  });

  it('begin no outage for late replies of a Redis that answers a probe, and count each request once', async () => {
    await start();
    await connect();
    expect(await admittedOf32()).toBe(32);
    // The probe is sent after Redis has continued, however late a busy machine continues it.
    const continued = Promise.withResolvers<undefined>();
    const probe = shared.probe.bind(shared);
    shared.probe = (id) => continued.promise.then(() => probe(id));
    child.kill('SIGSTOP');
    expect(await admittedOf32()).toBe(32);
    child.kill('SIGCONT');
    continued.resolve(undefined);
    await until(async () => (await counters.peek(subject)).windows[1]?.used === 84);
    expect([counters.isOnFallback, ...log]).toEqual([false]);
  });

  it('decide in memory while it is a read-only replica, as in a failover', async () => {
    await start();
    await connect();
    await admittedOf32();
    await redis.call('REPLICAOF', '127.0.0.1', '1');
    expect(await admittedOf32()).toBe(32);
    expect(log).toEqual(['outage']);
    const admin = await connectAdmin();
    await admin.call('REPLICAOF', 'NO', 'ONE');
    admin.disconnect();
    await until(() => !counters.isOnFallback);
    expect(log).toEqual(['outage', 'recovery']);
  });

  it('report a policy that may evict counters', async () => {
    await start('--maxmemory-policy', 'allkeys-lru');
    await connect();
    expect(await evictingPolicies(redis)).toEqual(['allkeys-lru']);
  });
});
