import { afterEach, expect, it, jest } from '@jest/globals';
import { Cluster, type Redis } from 'ioredis';
import { START_MS, TurnedClock } from '../../test/clocks.js';
import { describeInRedis, inRedis, keySubject as storedSubject, noUsage } from '../../test/stores.js';
import type { Subject } from '../decision.js';
import { SILENT } from '../logger.js';
import { DAY_MS, MINUTE_MS } from '../time.js';
import { CountersWithAllowances } from './allowances.js';

const keySubject = (changes: Partial<Subject> = {}) => storedSubject({ perMinute: 10, ...changes });
const counted = (redis: Redis | Cluster, load = noUsage, clock?: TurnedClock, logger = SILENT) =>
  new CountersWithAllowances(inRedis(redis, load, clock, logger));
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

  it('send the calls of one turn of the event loop in one write', async () => {
    const counters = create();
    const { stream } = redis() as Redis;
    const subjects = Array.from({ length: 20 }, () => keySubject());
    const decide = async () => Promise.all(subjects.map(async (subject) => counters.decide(subject)));
    // The first calls load the counts of the day.
    await decide();
    const [single, several] = [jest.spyOn(stream, '_write'), jest.spyOn(stream, '_writev')];
    await decide();
    expect([single.mock.calls.length, several.mock.calls.length]).toEqual([0, 1]);
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
    const warn = jest.fn();
    const load = () => Promise.resolve(40);
    const counters = counted(redis(), load, new TurnedClock(), { ...SILENT, warn });
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
