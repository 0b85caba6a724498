import { once } from 'node:events';
import { createRequire } from 'node:module';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { CountersWithAllowances } from '../packages/rate-limiter/src/redis/allowances.js';
import { SILENT } from '../packages/rate-limiter/src/logger.js';
import { MemoryCounters } from '../packages/rate-limiter/src/memory-counters.js';
import { RedisCounters } from '../packages/rate-limiter/src/redis/redis-counters.js';
import type { Subject } from '../packages/rate-limiter/src/decision.js';
import type { Row } from './report.js';
import { median } from './support.js';

const IN_FLIGHT = 32;
const KEYS = 1_000;
const DECISIONS_A_ROUND = 20_000;
const ROUNDS = 7;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PER_MINUTE = 1_000_000;
const PER_DAY = 100_000_000;

type Decide = (key: number) => Promise<unknown>;

/** Decisions a second over both windows, of the service and its peers in turn, each on its own connection. */
export async function measureDecisions(redisUrl: string): Promise<Row[]> {
  const clients: Redis[] = [];
  const connect = () => {
    const client = new Redis(redisUrl);
    clients.push(client);
    return client;
  };
  const systems: [name: string, decide: Decide][] = [
    ['ours', ours(connect())],
    ['ours without allowances', oursByCalls(connect())],
    ['rate-limiter-flexible', flexible(connect())],
    ['@fastify/rate-limit', fastify(connect())],
    ['@nest-lab/throttler-storage-redis', nestLab(connect())],
  ];
  // RedisCounters reject while their connection opens.
  await Promise.all(clients.map((client) => once(client, 'ready')));
  const rates = systems.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, [, decide]] of systems.entries()) {
      const rate = await decisionsASecond(decide);
      // The first round warms up.
      if (round > 0) rates[index]!.push(rate);
    }
  }
  await clients[0]!.flushdb();
  for (const client of clients) client.disconnect();
  const medians = rates.map(median);
  const best = Math.max(...medians.slice(2));
  return [
    ...systems.map(([name], index) => ({
      what: `decisions over both windows in Redis, ${IN_FLIGHT} in flight: ${name}`,
      measured: `${Math.round(medians[index]!).toLocaleString('en')} a second`,
      target: '',
    })),
    { what: 'ours against the best of them', measured: (medians[0]! / best).toFixed(2), target: '≥ 2' },
    ...(await measureMemory()),
  ];
}

async function decisionsASecond(decide: Decide): Promise<number> {
  const begin = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < DECISIONS_A_ROUND) {
      next += 1;
      await decide(next % KEYS);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return (DECISIONS_A_ROUND / (performance.now() - begin)) * 1000;
}

function subject(key: number | string): Subject {
  return {
    id: String(key),
    perMinute: PER_MINUTE,
    perDay: PER_DAY,
    ban: null,
    penaltiesResetAtMs: 0,
  };
}

const inRedis = (redis: Redis) =>
  new RedisCounters(redis, { loadDailyCount: () => Promise.resolve(0), logger: SILENT });

function ours(redis: Redis): Decide {
  const counters = new CountersWithAllowances(inRedis(redis));
  return async (key) => counters.decide(subject(key));
}

/** As for callers that are not busy: one call for a decision. */
function oursByCalls(redis: Redis): Decide {
  const counters = inRedis(redis);
  const ask = { cost: 1, want: 0, returned: null, mayWait: true } as const;
  return (key) => counters.decide(subject(key), ask);
}

function flexible(redis: Redis): Decide {
  const window = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterRedis({ storeClient: redis, keyPrefix: `bench-flexible-${keyPrefix}`, points, duration });
  const minute = window('minute', PER_MINUTE, MINUTE_MS / 1000);
  const day = window('day', PER_DAY, DAY_MS / 1000);
  return (key) => Promise.all([minute.consume(key), day.consume(key)]);
}

// The package declares no types for its store.
const fastifyRedisStore = createRequire(import.meta.url)('@fastify/rate-limit/store/RedisStore.js') as new (
  ...options: unknown[]
) => FastifyStore;

interface FastifyStore {
  incr(key: string, done: (error: Error | null) => void, windowMs: number, max: number): void;
}

function fastify(redis: Redis): Decide {
  const store = new fastifyRedisStore(false, false, redis, 'bench-fastify-');
  const window = (key: string, windowMs: number, max: number) =>
    new Promise<void>((resolve, reject) => {
      store.incr(key, (error) => (error ? reject(error) : resolve()), windowMs, max);
    });
  return (key) =>
    Promise.all([window(`minute-${key}`, MINUTE_MS, PER_MINUTE), window(`day-${key}`, DAY_MS, PER_DAY)]);
}

function nestLab(redis: Redis): Decide {
  const storage = new ThrottlerStorageRedisService(redis);
  return (key) =>
    Promise.all([
      storage.increment(`bench-${key}`, MINUTE_MS, PER_MINUTE, 0, 'minute'),
      storage.increment(`bench-${key}`, DAY_MS, PER_DAY, 0, 'day'),
    ]);
}

/** Counters in memory: the time per decision, and the memory of 200,000 idle keys. */
async function measureMemory(): Promise<Row[]> {
  const clock = { nowMs: () => Date.UTC(2026, 0, 1) };
  const counters = new MemoryCounters({ clock, loadDailyCount: () => Promise.resolve(0) });
  const subjects = Array.from({ length: 1_000 }, (_, index) => subject(index));
  const times: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const begin = performance.now();
    for (let index = 0; index < 200_000; index += 1) await counters.decide(subjects[index % 1_000]!);
    times.push(((performance.now() - begin) / 200_000) * 1000);
  }
  const heapMb = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const before = heapMb();
  for (let index = 0; index < 200_000; index += 1) await counters.decide(subject(`idle-${index}`));
  const held = heapMb() - before;
  // This use keeps the counters in memory until it is measured.
  await counters.peek(subjects[0]!);
  return [
    { what: 'a decision in memory', measured: `${median(times).toFixed(2)} µs`, target: '< 2 µs' },
    { what: '200,000 idle keys in memory', measured: `${held.toFixed(0)} MB`, target: '< 60 MB' },
  ];
}
