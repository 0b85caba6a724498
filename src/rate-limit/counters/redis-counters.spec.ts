import { afterEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Cluster } from 'ioredis';
import type { Subject } from '../decision.js';
import { DAY_MS, MINUTE_MS } from '../../platform/common/time.js';
import {
  START_MS,
  TurnedClock,
  describeInRedis,
  inRedis,
  keySubject as storedSubject,
  noUsage,
} from '../../../test/support/counters.js';

const keySubject = (changes: Partial<Subject> = {}) => storedSubject({ perMinute: 10, ...changes });
const keyOf = ({ id }: Subject) => `rate-limit:{key:${id}}`;

it('counters on a cluster that is not connected fail at once', async () => {
  const cluster = new Cluster(['redis://127.0.0.1:1'], { lazyConnect: true, enableOfflineQueue: false });
  await expect(inRedis(cluster).decide(keySubject())).rejects.toThrow('Redis is not connected');
  cluster.disconnect();
});

describeInRedis('counters', (redis) => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const create = (loadDailyCount = noUsage) => inRedis(redis(), loadDailyCount, new TurnedClock());

  it('send all requests of one turn of the event loop in one call, and those that lacked a count in another', async () => {
    const counters = create(() => Promise.resolve(7));
    const call = jest.spyOn(redis(), 'decideLimits');
    const [one, other] = [keySubject(), keySubject()];
    const decideThree = () => Promise.all([one, other, one].map((subject) => counters.decide(subject)));
    expect((await decideThree()).map(({ windows }) => windows[1]?.used)).toEqual([8, 8, 9]);
    await decideThree();
    expect(call.mock.calls.map(([requests]) => requests)).toEqual([2, 2, 2]);
  });

  it('use the clock of Redis instead of their own, and set keys to expire after their windows', async () => {
    const counters = inRedis(redis());
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
      Array.from({ length: 25 }, () => replicas.map((counters) => counters.decide(subject))).flat(),
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
      forgiven: 'never',
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
    const decisions = await Promise.all([subject, other].map((each) => counters.decide(each)));
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
