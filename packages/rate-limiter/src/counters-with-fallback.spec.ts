import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TurnedClock, settled } from '../test/clocks.js';
import { admittedOf, keySubject as storedSubject, noUsage } from '../test/stores.js';
import { Counters } from './counters.js';
import { CountersWithFallback } from './counters-with-fallback.js';
import type { Subject } from './decision.js';
import { SILENT } from './logger.js';
import { MemoryCounters } from './memory-counters.js';
import { MINUTE_MS } from './time.js';

const keySubject = (id = 'one') => storedSubject({ id, perMinute: 10 });
const admitted = (counters: CountersWithFallback, count: number) => admittedOf(counters, keySubject(), count);

/** Counters that several replicas can share and a test can take away, whole or for one caller. */
class SharedForTest extends Counters {
  isAway = false;
  failure = 'away';
  lostCaller = '';
  calls = 0;
  constructor(public counters: MemoryCounters) {
    super();
  }

  async decide(subject: Subject, cost?: 0 | 1) {
    this.calls += 1;
    if (this.isAway || subject.id === this.lostCaller) throw new Error(this.failure);
    return this.counters.decide(subject, cost);
  }
}

const onOutage = jest.fn<(fields: object, message: string) => void>();
const onRecovery = jest.fn<(fields: object, message: string) => void>();

function setUp(loadDailyCount = noUsage) {
  const clock = new TurnedClock();
  const monotonic = { ms: 0 };
  const shared = new SharedForTest(new MemoryCounters({ clock, loadDailyCount: noUsage }));
  const create = () =>
    new CountersWithFallback(
      shared,
      new MemoryCounters({ clock, loadDailyCount, isFallback: true }),
      { ...SILENT, warn: onOutage, info: onRecovery },
      () => monotonic.ms,
    );
  return { clock, monotonic, shared, create, counters: create() };
}

describe('counters with a fallback', () => {
  beforeEach(() => {
    jest.clearAllMocks();
  });

  it('start an outage from the last known counts', async () => {
    const { shared, counters } = setUp();
    expect(await admitted(counters, 7)).toBe(7);
    shared.isAway = true;
    expect((await counters.peek(keySubject())).windows.map((window) => window.used)).toEqual([7, 7]);
    expect(await admitted(counters, 20)).toBe(3);
  });

  it.each([
    ['away', 'Redis is away'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'Redis refuses the user of its URL'],
    [
      "NOPERM User animals has no permissions to run the 'evalsha' command",
      'Redis refuses the user of its URL',
    ],
    [
      "ERR The user executing the script can't run this command or subcommand",
      'Redis refuses the user of its URL',
    ],
  ])('say at an outage by %j: %s', async (failure, said) => {
    const { shared, counters } = setUp();
    Object.assign(shared, { isAway: true, failure });
    await admitted(counters, 2);
    expect(onOutage.mock.calls.map(([, message]) => message)).toEqual([expect.stringContaining(said)]);
  });

  it.each([
    ['keep', false],
    ['lose', true],
  ])(
    'admit at most one more limit per replica over several outages that %s the counts',
    async (_, isLost) => {
      const { clock, monotonic, shared, create } = setUp();
      const replicas = [create(), create(), create()];
      let total = 0;
      for (let outage = 0; outage < 4; outage += 1) {
        shared.isAway = true;
        if (isLost && outage === 0) shared.counters = new MemoryCounters({ clock, loadDailyCount: noUsage });
        for (const counters of replicas) total += await admitted(counters, 20);
        shared.isAway = false;
        monotonic.ms += 1_000;
        for (const counters of replicas) total += await admitted(counters, 1);
      }
      for (const counters of replicas) total += await admitted(counters, 20);
      expect(total).toBe((replicas.length + 1) * 10);
    },
  );

  it('decide a caller in memory for a second after a failed call, then let one request call', async () => {
    const { monotonic, shared, counters } = setUp();
    shared.isAway = true;
    await counters.decide(keySubject());
    expect(shared.calls).toBe(1);
    monotonic.ms = 999;
    await admitted(counters, 5);
    expect(shared.calls).toBe(1);
    monotonic.ms = 1_000;
    await admitted(counters, 5);
    expect(shared.calls).toBe(2);
    shared.isAway = false;
    monotonic.ms = 2_000;
    expect(await admitted(counters, 1)).toBe(1);
    expect((await counters.decide(keySubject())).windows[0]?.used).toBe(2);
    expect(shared.calls).toBe(4);
  });

  it('report an outage of one caller once, and its end when no call has failed for two seconds', async () => {
    const { monotonic, shared, counters } = setUp();
    shared.lostCaller = 'one';
    for (let second = 0; second < 5; second += 1) {
      for (const id of ['one', 'other', 'one']) await counters.decide(keySubject(id));
      expect(counters.isOnFallback).toBe(true);
      monotonic.ms += 1_000;
    }
    shared.lostCaller = '';
    expect((await counters.decide(keySubject('other'))).source).toBe('memory');
    await counters.decide(keySubject('one'));
    expect(onRecovery).not.toHaveBeenCalled();
    monotonic.ms += 1_000;
    expect(counters.isOnFallback).toBe(false);
    await admitted(counters, 2);
    expect(onOutage).toHaveBeenCalledTimes(1);
    expect(onRecovery.mock.calls).toEqual([[{ durationMs: 4_000, decisions: 10 }, expect.any(String)]]);
  });

  it('load the recorded count of an unknown key without a wait', async () => {
    const answer = Promise.withResolvers<number>();
    const { shared, counters } = setUp(() => answer.promise);
    shared.isAway = true;
    expect((await counters.decide(keySubject())).windows[1]?.used).toBe(1);
    answer.resolve(98);
    await settled();
    expect(await admitted(counters, 5)).toBe(2);
  });

  it('ignore the counts of ended windows', async () => {
    const { clock, shared, counters } = setUp();
    await admitted(counters, 10);
    shared.isAway = true;
    clock.ms += MINUTE_MS;
    expect((await counters.decide(keySubject())).windows.map((window) => window.used)).toEqual([1, 11]);
  });
});
