import { expect, it } from '@jest/globals';
import { START_MS, TurnedClock, decideAtOnce, keySubject, noUsage } from '../../../test/support/counters.js';
import { DAY_MS, MINUTE_MS } from '../../common/time.js';
import { MemoryCounters } from './memory-counters.js';

const bounds = { maxKeys: 100, maxAddresses: 100 };

it.each([
  ['addresses', { perDay: null }],
  ['keys', {}],
])('counters in memory keep a bounded number of %s', async (_, changes) => {
  const counters = new MemoryCounters({ clock: new TurnedClock(), ...noUsage, ...bounds });
  for (let count = 0; count < 5_000; count += 1) await counters.decide(keySubject(changes));
  expect(counters.size).toBeLessThanOrEqual(100);
});

it('counters in memory start a dropped key again from recorded usage', async () => {
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
});

it.each([
  ['the clock was set back a day', -DAY_MS, false],
  ['the shared counters may have counted requests of a new day', DAY_MS, true],
])('counters in memory load a count again after %s', async (_, stepMs, isFallback) => {
  const clock = new TurnedClock();
  const counters = new MemoryCounters({ clock, isFallback, loadDailyCount: () => Promise.resolve(40) });
  const subject = keySubject();
  await counters.decide(subject);
  clock.ms += stepMs;
  await counters.peek(subject);
  await new Promise(setImmediate);
  expect((await counters.peek(subject)).windows[1]?.used).toBe(40);
});
