import { expect, it } from '@jest/globals';
import { TurnedClock, keySubject } from '../../../test/support/counters.js';
import { DAY_MS } from '../../common/time.js';
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
