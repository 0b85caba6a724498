import { expect, it } from '@jest/globals';
import { TurnedClock, keySubject, noUsage } from '../../../test/support/counters.js';
import { DAY_MS } from '../../platform/common/time.js';
import { MemoryCounters } from './memory-counters.js';

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

it.each([
  ['200,000 addresses', 200_000, null],
  ['1,000,000 keys', 1_000_000, 100],
])('counters in memory are bounded to %s', async (_, maxSubjects, perDay) => {
  const counters = new MemoryCounters({
    clock: new TurnedClock(),
    isFallback: true,
    loadDailyCount: noUsage,
  });
  const first = keySubject({ perDay });
  await counters.decide(first);
  for (let count = 0; count < maxSubjects; count += 1) await counters.decide({ ...first, id: String(count) });
  expect((await counters.peek(first)).windows[0]?.used).toBe(0);
});
