import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CountersWithFallback, type SharedCounters } from './counters-with-fallback.js';
import { Counters } from './counters.js';
import type { Subject } from '../decision.js';
import { MINUTE_MS } from '../../platform/common/time.js';
import {
  TurnedClock,
  admittedOf,
  keySubject as storedSubject,
  noUsage,
} from '../../../test/support/counters.js';
import { until } from '../../../test/support/until.js';
import { MemoryCounters } from './memory-counters.js';

const keySubject = () => storedSubject({ id: 'one', perMinute: 10 });
const admitted = (counters: CountersWithFallback, count: number) => admittedOf(counters, keySubject(), count);

/** Counters that several replicas can share and a test can make unavailable. */
class SharedForTest extends Counters implements SharedCounters {
  isAway = false;
  /** Calls get no reply in time; probes do. */
  isLate = false;
  probes = 0;
  probesAtOnce = 0;
  mostProbesAtOnce = 0;
  constructor(public counters: MemoryCounters) {
    super();
  }

  async decide(subject: Subject, cost?: 0 | 1) {
    if (this.isAway || this.isLate) throw new Error('away');
    return this.counters.decide(subject, cost);
  }

  shardOf(): string {
    return '';
  }

  async probe() {
    this.probes += 1;
    this.probesAtOnce += 1;
    this.mostProbesAtOnce = Math.max(this.mostProbesAtOnce, this.probesAtOnce);
    await new Promise(setImmediate);
    this.probesAtOnce -= 1;
    if (this.isAway) throw new Error('away');
  }
}

function setUp(loadDailyCount = noUsage) {
  const clock = new TurnedClock();
  const shared = new SharedForTest(new MemoryCounters({ clock, loadDailyCount: noUsage }));
  const create = () =>
    new CountersWithFallback(shared, new MemoryCounters({ clock, loadDailyCount, isFallback: true }));
  return { clock, shared, create, counters: create() };
}

describe('counters with a fallback', () => {
  const onOutage = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const onRecovery = jest.spyOn(Logger.prototype, 'log').mockReturnValue();
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
    ['keep', false],
    ['lose', true],
  ])(
    'admit at most one more limit per replica over several outages that %s the counts',
    async (_, isLost) => {
      const { clock, shared, create } = setUp();
      const replicas = [create(), create(), create()];
      let total = 0;
      for (let outage = 0; outage < 4; outage += 1) {
        shared.isAway = true;
        if (isLost && outage === 0) shared.counters = new MemoryCounters({ clock, loadDailyCount: noUsage });
        for (const counters of replicas) total += await admitted(counters, 20);
        await until(() => replicas.every((counters) => counters.isOnFallback));
        shared.isAway = false;
        await until(() => replicas.every((counters) => !counters.isOnFallback));
        for (const counters of replicas) total += await admitted(counters, 1);
      }
      for (const counters of replicas) total += await admitted(counters, 20);
      expect(total).toBe((replicas.length + 1) * 10);
    },
  );

  it('report each outage and each recovery once, and decide in the shared counters again', async () => {
    const { shared, counters } = setUp();
    shared.isAway = true;
    await admitted(counters, 20);
    await until(() => counters.isOnFallback);
    await until(() => shared.probes >= 3);
    shared.isAway = false;
    await until(() => !counters.isOnFallback);
    expect(onOutage).toHaveBeenCalledTimes(1);
    expect(onRecovery.mock.calls).toEqual([[expect.objectContaining({ decisions: 20 }), expect.any(String)]]);
    expect(shared.mostProbesAtOnce).toBe(1);
    expect((await counters.decide(keySubject())).windows[0]?.used).toBe(1);
  });

  it('decide a failed call in memory, and begin an outage only when a probe fails too', async () => {
    const { shared, counters } = setUp();
    shared.isLate = true;
    expect(await admitted(counters, 7)).toBe(7);
    await until(() => shared.probesAtOnce === 0);
    expect([shared.probes, counters.isOnFallback]).toEqual([1, false]);
    shared.isAway = true;
    expect(await admitted(counters, 20)).toBe(3);
    await until(() => counters.isOnFallback);
    expect(onOutage).toHaveBeenCalledTimes(1);
  });

  it('load the recorded count of an unknown key without a wait', async () => {
    const answer = Promise.withResolvers<number>();
    const { shared, counters } = setUp(() => answer.promise);
    shared.isAway = true;
    expect((await counters.decide(keySubject())).windows[1]?.used).toBe(1);
    answer.resolve(98);
    await new Promise(setImmediate);
    expect(await admitted(counters, 5)).toBe(2);
  });

  it('ignore the counts of ended windows', async () => {
    const { clock, shared, counters } = setUp();
    await admitted(counters, 10);
    shared.isAway = true;
    clock.ms += MINUTE_MS;
    expect((await counters.decide(keySubject())).windows.map((window) => window.used)).toEqual([1, 11]);
    await until(() => counters.isOnFallback);
  });
});
