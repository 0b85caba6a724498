import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import { keySubject, until } from '../counters-under-test.js';
import { CountersWithFallback } from '../counters-with-fallback.js';
import type { Subject } from '../../decision/decision.js';
import { connectRedis, evictingPolicies, waitUntilReady } from './redis-client.js';
import { RedisCounters } from './redis-counters.js';

const DECIDED_WITHIN_MS = 100;
const TICK_MS = 5;

const server = [
  '/usr/bin/redis-server',
  '/usr/local/bin/redis-server',
  '/opt/homebrew/bin/redis-server',
].find(existsSync);

async function freePort(): Promise<number> {
  // A cluster node takes a second port, 10,000 higher.
  for (;;) {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    if (port < 55_000) return port;
  }
}

(server ? describe : describe.skip)('a Redis that fails (needs redis-server)', () => {
  let directory: string;
  let port: number;
  let child: ChildProcess | undefined;
  let redis: Redis | Cluster;
  let log: string[];
  let counters: CountersWithFallback;
  let subject: Subject;

  async function start(...options: string[]): Promise<void> {
    const store = ['--save', '', '--appendonly', 'no', '--dir', directory];
    child = spawn(server ?? '', ['--port', String(port), '--bind', '127.0.0.1', ...store, ...options], {
      stdio: 'ignore',
    });
    const probe = connectRedis({ urls: [`redis://127.0.0.1:${port}`] }, () => undefined);
    await waitUntilReady(probe, 20_000);
    probe.disconnect();
  }

  async function kill(): Promise<void> {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await ended;
    child = undefined;
  }

  async function connect(isCluster = false): Promise<void> {
    redis = connectRedis({ urls: [`redis://127.0.0.1:${port}`], isCluster }, () => undefined);
    await waitUntilReady(redis, 20_000);
    counters = new CountersWithFallback(
      new RedisCounters(redis, { loadDailyCount: () => Promise.resolve(20) }),
      {
        clock: { nowMs: () => Date.now() },
        onOutage: () => log.push('outage'),
        onRecovery: () => log.push('recovery'),
      },
    );
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
    subject = keySubject({ perMinute: 1_000_000, canBeBanned: false });
  });

  afterEach(async () => {
    counters.close();
    redis.disconnect();
    await kill();
    rmSync(directory, { recursive: true, force: true });
  });

  it('frozen: decides from the counts last seen, and counts each request once afterwards', async () => {
    await start();
    await connect();
    expect(await admittedOf32()).toBe(32);
    child?.kill('SIGSTOP');
    // 52 used, 48 left, for 64 requests.
    expect((await admittedOf32()) + (await admittedOf32())).toBe(48);
    expect(log).toEqual(['outage']);
    child?.kill('SIGCONT');
    await until(() => !counters.isOnFallback);
    expect(log).toEqual(['outage', 'recovery']);
    // The frozen Redis had received 32 calls and counted them, and nothing else.
    expect((await counters.peek(subject)).windows[1]?.used).toBe(84);
  });

  it('killed and restarted empty: starts from usage, with no error in between', async () => {
    await start();
    await connect();
    expect(await admittedOf32()).toBe(32);
    await kill();
    expect(await admittedOf32()).toBe(32);
    await start();
    await until(() => !counters.isOnFallback);
    expect(log).toEqual(['outage', 'recovery']);
    expect((await counters.decide(subject)).windows[1]?.used).toBe(21);
  });

  it('allowed to evict counters: its policy is found', async () => {
    await start('--maxmemory-policy', 'allkeys-lru');
    await connect();
    expect(await evictingPolicies(redis)).toEqual(['allkeys-lru']);
  });

  it('flushed: starts from usage at once', async () => {
    await start();
    await connect();
    await admittedOf32();
    await redis.flushall();
    await redis.script('FLUSH');
    expect((await counters.decide(subject)).windows[1]?.used).toBe(21);
    expect(log).toEqual([]);
  });

  it('turned into a read-only replica, as in a failover: decides in memory until it is back', async () => {
    await start();
    await connect();
    await admittedOf32();
    await redis.call('REPLICAOF', '127.0.0.1', '1');
    expect(await admittedOf32()).toBe(32);
    expect(log).toEqual(['outage']);
    const admin = connectRedis({ urls: [`redis://127.0.0.1:${port}`] }, () => undefined);
    await waitUntilReady(admin, 20_000);
    await admin.call('REPLICAOF', 'NO', 'ONE');
    admin.disconnect();
    await until(() => !counters.isOnFallback);
    expect(log).toEqual(['outage', 'recovery']);
  });

  it('a cluster: decides many subjects at a time, each in its own slot', async () => {
    // A node that has met no other node does not know its own address.
    await start('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1');
    const admin = connectRedis({ urls: [`redis://127.0.0.1:${port}`] }, () => undefined);
    await waitUntilReady(admin, 20_000);
    await admin.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => slot));
    let state = '';
    while (!state.includes('cluster_state:ok')) state = String(await admin.call('CLUSTER', 'INFO'));
    admin.disconnect();
    await connect(true);
    const subjects = Array.from({ length: 50 }, (_, index) => ({ ...subject, id: `key:${index}` }));
    const decisions = await Promise.all([...subjects, ...subjects].map((each) => counters.decide(each)));
    expect(new Set(decisions.map((decision) => decision.windows[1]?.used))).toEqual(new Set([21, 22]));
    expect(log).toEqual([]);
  });
});
