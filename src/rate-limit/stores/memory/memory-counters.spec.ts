import { describe, expect, it } from '@jest/globals';
import { DAY_MS, MINUTE_MS } from '../../../common/time.js';
import { START_MS, TurnedClock, decideAtOnce, keySubject } from '../counters-under-test.js';
import { DailyCountLoader } from '../daily-count-loader.js';
import { MemoryCounters } from './memory-counters.js';

describe('counters in memory', () => {
  const bounds = { maxKeys: 100, maxAddresses: 100, maxPenalties: 100 };

  it.each([
    ['addresses', 'address:', { perDay: null, canBeBanned: false }],
    ['keys', 'key:', {}],
  ])('keep a bounded number of %s', async (_, prefix, changes) => {
    const counters = new MemoryCounters({ clock: new TurnedClock(), ...bounds });
    for (let count = 0; count < 5_000; count += 1)
      await counters.decide(keySubject({ id: `${prefix}${count}`, ...changes }));
    expect(counters.size).toBeLessThanOrEqual(100);
    counters.close();
  });

  it('keep a bounded number of refusals and bans', async () => {
    const counters = new MemoryCounters({ clock: new TurnedClock(), ...bounds });
    for (let count = 0; count < 1_000; count += 1)
      await decideAtOnce(counters, keySubject({ perMinute: 1 }), count % 2 === 0 ? 2 : 13);
    expect(counters.size).toBeLessThanOrEqual(300);
    counters.close();
  });

  it('start a dropped key again from recorded usage', async () => {
    const clock = new TurnedClock();
    const recorded = new Map<string, number>();
    const loadDailyCount = (id: string) => Promise.resolve(recorded.get(id) ?? 0);
    const counters = new MemoryCounters({ clock, loadDailyCount, ...bounds });
    // The next day begins while these counters run.
    clock.ms = START_MS + DAY_MS;
    const subject = keySubject();
    await decideAtOnce(counters, subject, 3);
    recorded.set(subject.id, 3);
    for (let count = 0; count < 500; count += 1) await counters.decide(keySubject());
    clock.ms += MINUTE_MS;
    expect((await counters.decide(subject)).windows[1]?.used).toBe(4);
    counters.close();
  });
});

describe('the loader of initial counts', () => {
  it('keeps a bounded number of loads and failures', async () => {
    const unfinished: ((error: Error) => void)[] = [];
    const failures: string[] = [];
    const loader = new DailyCountLoader(
      {
        clock: new TurnedClock(),
        apply: () => undefined,
        loadDailyCount: () => new Promise((_, reject) => unfinished.push(reject)),
        onLoadFailed: (id) => failures.push(id),
      },
      10,
      100,
    );
    for (let count = 0; count < 500; count += 1) loader.retry(`key:${count}`, START_MS);
    await new Promise(setImmediate);
    expect(unfinished).toHaveLength(10);
    expect(loader.size).toBeLessThanOrEqual(110);
    unfinished.forEach((reject) => reject(new Error('away')));
    await new Promise(setImmediate);
    expect(failures).toHaveLength(500);
    expect(loader.size).toBeLessThanOrEqual(100);
  });
});
