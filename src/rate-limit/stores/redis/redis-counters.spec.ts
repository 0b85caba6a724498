import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Cluster } from 'ioredis';
import type { Subject } from '../../decision.js';
import { DAY_MS, MINUTE_MS } from '../../../common/time.js';
import {
  START_MS,
  describeInRedis,
  keySubject as storedSubject,
  noUsage,
} from '../../../../test/support/counters.js';
import { RedisCounters, type RedisCountersOptions } from './redis-counters.js';

const keySubject = (changes: Partial<Subject> = {}) => storedSubject({ perMinute: 10, ...changes });

it('counters on a cluster that is not connected fail at once', async () => {
  const cluster = new Cluster(['redis://127.0.0.1:1'], { lazyConnect: true, enableOfflineQueue: false });
  await expect(new RedisCounters(cluster, noUsage).decide(keySubject())).rejects.toThrow(
    'Redis is not connected',
  );
  cluster.disconnect();
});

describeInRedis('counters', (opened) => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  function create(options: Partial<RedisCountersOptions> = {}): RedisCounters {
    const { redis, keyPrefix } = opened();
    const testClock = { nowMs: () => START_MS };
    return new RedisCounters(redis, { keyPrefix, testClock, replyWithinMs: 10_000, ...noUsage, ...options });
  }

  const keyOf = (subject: Subject) => `${opened().keyPrefix}{${subject.id}}`;

  /** Counters whose commands are noted in `calls`: the name, and the number of keys. */
  function createCounted(options: Partial<RedisCountersOptions> = {}) {
    const calls: unknown[][] = [];
    const counting = new Proxy(opened().redis, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          calls.push([name, args[0]]);
          return (value as (...all: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    const { keyPrefix } = opened();
    return {
      calls,
      counters: new RedisCounters(counting, { keyPrefix, replyWithinMs: 10_000, ...noUsage, ...options }),
    };
  }

  it('send all requests of one turn of the event loop in one call', async () => {
    const { calls, counters } = createCounted();
    const [one, other] = [keySubject(), keySubject()];
    await Promise.all([one, other].map((subject) => counters.decide(subject)));
    calls.length = 0;
    await Promise.all([one, other, one, other, one].map((subject) => counters.decide(subject)));
    expect(calls).toEqual([['decideLimits', 2]]);
  });

  it('decide new keys together once their counts are loaded', async () => {
    const { calls, counters } = createCounted({ loadDailyCount: () => Promise.resolve(7) });
    await counters.decide(keySubject());
    calls.length = 0;
    const [one, other] = [keySubject(), keySubject()];
    const decisions = await Promise.all([one, other, one].map((subject) => counters.decide(subject)));
    expect(calls).toEqual([
      ['decideLimits', 2],
      ['decideLimits', 2],
    ]);
    expect(decisions.map(({ windows }) => windows[1]?.used)).toEqual([8, 8, 9]);
  });

  it('use the clock of Redis instead of their own, and set keys to expire after their windows', async () => {
    const counters = create({ testClock: undefined });
    const key = keySubject();
    const address = keySubject({ perDay: null });
    const nowMs = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(nowMs + 3_600_000);
    const decision = await counters.decide(key);
    await counters.decide(address);
    expect(Math.abs(decision.nowMs - nowMs)).toBeLessThan(MINUTE_MS);
    expect(await opened().redis.pttl(keyOf(address))).toBeLessThanOrEqual(MINUTE_MS);
    const keyTtlMs = await opened().redis.pttl(keyOf(key));
    const dayEndMs = decision.windows[1]!.resetAtMs;
    expect(keyTtlMs).toBeGreaterThan(dayEndMs - decision.nowMs);
    expect(keyTtlMs).toBeLessThanOrEqual(DAY_MS + 3_600_000);
  });

  it('load missing scripts again', async () => {
    const counters = create();
    const subject = keySubject();
    await counters.decide(subject);
    await opened().redis.script('FLUSH');
    const decisions = await Promise.all(
      [subject, keySubject(), subject].map((each) => counters.decide(each)),
    );
    expect(decisions.map((decision) => decision.windows[0]?.used)).toEqual([2, 1, 3]);
  });

  it('add an initial count once when replicas load it during requests', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    const loadDailyCount = () => {
      reads += 1;
      if (reads === 4) release();
      return released.then(() => 60);
    };
    const replicas = Array.from({ length: 4 }, () => create({ loadDailyCount }));
    const subject = keySubject({ perMinute: 1_000 });
    const decisions = await Promise.all(
      Array.from({ length: 25 }, () => replicas.map((counters) => counters.decide(subject))).flat(),
    );
    expect(decisions.filter((decision) => decision.outcome === 'admitted')).toHaveLength(40);
    expect(reads).toBe(4);
  });

  describe('with a broken value', () => {
    const day = Date.UTC(2026, 10, 20);
    it.each([
      ['text in a window', { minute: 'garbage' }, 'minute', 1, 6],
      ['a negative count', { day: `${day} -5` }, 'day', 6, 41],
      ['a huge count', { day: `${day} 99999999999` }, 'day', 6, 41],
      ['a number out of range', { minute: `${START_MS} ${'9'.repeat(400)}` }, 'minute', 1, 6],
      ['a fraction', { day: `${day} 1.5` }, 'day', 6, 41],
      ['an invalid start of a window', { minute: `${START_MS + 1} 5` }, 'minute', 1, 6],
      ['a ban without its length', { ban: String(START_MS + 1_000) }, 'ban', 6, 6],
      ['an endless ban', { ban: '999999999999999 99999999999' }, 'ban', 6, 6],
      ['text for refusals', { refusals: '' }, 'refusals', 6, 6],
      ['text for the reset mark', { forgiven: 'never' }, 'forgiven', 6, 6],
    ])('report %s, and reset only that field', async (_, fields, named, minuteUsed, dayUsed) => {
      const broken: string[] = [];
      const onBroken = (id: string, what: string) => broken.push(`${id} ${what}`);
      let count = 0;
      const counters = create({ onBroken, loadDailyCount: () => Promise.resolve(count) });
      const subject = keySubject();
      for (let sent = 0; sent < 5; sent += 1) await counters.decide(subject);
      count = 40;
      await opened().redis.hset(keyOf(subject), fields);
      const decision = await counters.decide(subject);
      expect(decision.outcome).toBe('admitted');
      expect(decision.windows.map((window) => window.used)).toEqual([minuteUsed, dayUsed]);
      await counters.decide(subject);
      expect(broken).toEqual([`${subject.id} ${named}`]);
    });

    it('replace a value of another type', async () => {
      const broken: string[] = [];
      const counters = create({
        onBroken: (_, what) => broken.push(what),
        loadDailyCount: () => Promise.resolve(40),
      });
      const [subject, other] = [keySubject(), keySubject()];
      await opened().redis.lpush(keyOf(subject), 'foreign');
      const decisions = await Promise.all([subject, other].map((each) => counters.decide(each)));
      expect(decisions.map((decision) => decision.windows[1]?.used)).toEqual([41, 41]);
      await counters.decide(subject);
      expect(broken).toEqual(['type']);
    });

    it('ignore a ban that starts in the future', async () => {
      const counters = create();
      const subject = keySubject();
      await opened().redis.hset(keyOf(subject), { ban: `${START_MS + 400 * DAY_MS} ${DAY_MS}` });
      expect((await counters.decide(subject)).outcome).toBe('admitted');
    });
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
