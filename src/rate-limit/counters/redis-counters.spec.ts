import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Cluster, type Redis } from 'ioredis';
import type { Subject } from '../decision.js';
import { DAY_MS, MINUTE_MS } from '../../platform/common/time.js';
import {
  START_MS,
  TurnedClock,
  describeInRedis,
  inRedis,
  keySubject as storedSubject,
  noUsage,
  settled,
} from './counters-under-test.js';
import { CountersWithAllowances } from './allowances.js';
import { withinDeadline } from './counters.js';

const keySubject = (changes: Partial<Subject> = {}) => storedSubject({ perMinute: 10, ...changes });
const counted = (redis: Redis | Cluster, load = noUsage, clock?: TurnedClock) =>
  new CountersWithAllowances(inRedis(redis, load, clock));
const keyOf = ({ id }: Subject) => `rate-limit:{key:${id}}`;

it('counters on a cluster that is not connected fail at once', async () => {
  const cluster = new Cluster(['redis://127.0.0.1:1'], { lazyConnect: true, enableOfflineQueue: false });
  await expect(counted(cluster).decide(keySubject())).rejects.toThrow('Redis is not connected');
  cluster.disconnect();
});

describeInRedis('counters', (redis) => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const create = (loadDailyCount = noUsage) => counted(redis(), loadDailyCount, new TurnedClock());

  it('use the clock of Redis instead of their own, and set keys to expire after their windows', async () => {
    const counters = counted(redis());
    const [key, address] = [keySubject(), keySubject({ perDay: null })];
    const nowMs = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(nowMs + 3_600_000);
    const decision = await counters.decide(key);
    await counters.decide(address);
    expect(Math.abs(decision.nowMs - nowMs)).toBeLessThan(MINUTE_MS);
    expect(await redis().pttl(`rate-limit:{address:${address.id}}`)).toBeLessThanOrEqual(MINUTE_MS);
    const keyTtlMs = await redis().pttl(keyOf(key));
    expect(keyTtlMs).toBeGreaterThan(decision.windows[1]!.resetAtMs - decision.nowMs);
    expect(keyTtlMs).toBeLessThanOrEqual(DAY_MS + 3_600_000);
  });

  it('add an initial count once when replicas load it during requests', async () => {
    const released = Promise.withResolvers<number>();
    let reads = 0;
    const loadDailyCount = () => {
      reads += 1;
      if (reads === 4 * 25) released.resolve(60);
      return released.promise;
    };
    const replicas = Array.from({ length: 4 }, () => create(loadDailyCount));
    const subject = keySubject({ perMinute: 1_000 });
    const decisions = await Promise.all(
      Array.from({ length: 25 }, () => replicas.map(async (counters) => counters.decide(subject))).flat(),
    );
    expect(decisions.filter((decision) => decision.outcome === 'admitted')).toHaveLength(40);
  });

  it('count a broken field as absent', async () => {
    const counters = create(() => Promise.resolve(40));
    const subject = keySubject();
    const fields = {
      minute: 'garbage',
      day: `${START_MS} -5`,
      refusals: '',
      ban: '1e3 1',
      penaltiesReset: 'never',
      allowances: 'soon',
    };
    await redis().hset(keyOf(subject), fields);
    for (const used of [1, 2]) {
      const { windows } = await counters.decide(subject);
      expect(windows.map((window) => window.used)).toEqual([used, 40 + used]);
    }
  });

  it('replace a value of another type, and report it', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const counters = create(() => Promise.resolve(40));
    const [subject, other] = [keySubject(), keySubject()];
    await redis().lpush(keyOf(subject), 'foreign');
    const decisions = await Promise.all([subject, other].map(async (each) => counters.decide(each)));
    expect(decisions.map((decision) => decision.windows[1]?.used)).toEqual([41, 41]);
    await counters.decide(subject);
    expect(warn.mock.calls).toEqual([[{ key: keyOf(subject) }, expect.any(String)]]);
  });

  it('do not restore a lifted ban from a replica that still knows it', async () => {
    const counters = create();
    const outdated = keySubject({ ban: { untilMs: START_MS + 500_000, durationMs: 600_000 } });
    const reset = { ...outdated, ban: null, penaltiesResetAtMs: START_MS };
    expect((await counters.decide(outdated)).outcome).toBe('banned');
    expect((await counters.decide(reset)).outcome).toBe('admitted');
    expect((await counters.decide(outdated)).outcome).toBe('admitted');
  });
});

describe('a reply', () => {
  it('or a failure is forwarded', async () => {
    await expect(withinDeadline(Promise.resolve(1), 20)).resolves.toBe(1);
    await expect(withinDeadline(Promise.reject(new Error('closed')), 20)).rejects.toThrow('closed');
  });

  it('that does not come rejects', async () => {
    await expect(withinDeadline(new Promise(() => undefined), 20)).rejects.toThrow('within 20 ms');
  });

  it('that arrives while this process stalls counts', async () => {
    const [near, far] = await connectedSockets();
    const reply = new Promise((resolve) => near.once('data', (data) => resolve(String(data))));
    await settled();
    const answered = withinDeadline(reply, 20);
    far.write('late');
    const startMs = performance.now();
    while (performance.now() - startMs < 60);
    await expect(answered).resolves.toBe('late');
    near.destroy();
  });
});

/** Both ends of one connection. */
async function connectedSockets(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  return [near, far];
}
