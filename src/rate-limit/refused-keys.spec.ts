import { expect, it } from '@jest/globals';
import { RefusedKeys } from './refused-keys.js';

const MINUTE_MS = 60_000;
const NONE = { free: 0, pro: 0, business: 0, enterprise: 0 };

it('RefusedKeys counts a key from an hour of refusals until ten minutes without one', () => {
  const keys = new RefusedKeys();
  for (let minute = 0; minute <= 60; minute += 10) {
    expect(keys.countByPlan(minute * MINUTE_MS)).toEqual(NONE);
    keys.note('one', 'free', minute * MINUTE_MS);
    if (minute !== 30) keys.note('with a gap', 'pro', minute * MINUTE_MS);
    if (minute > 0) keys.note('later', 'pro', minute * MINUTE_MS);
  }
  expect(keys.countByPlan(60 * MINUTE_MS)).toEqual({ ...NONE, free: 1 });
  expect(keys.countByPlan(70 * MINUTE_MS)).toEqual({ ...NONE, free: 1 });
  expect(keys.countByPlan(70 * MINUTE_MS + 1)).toEqual(NONE);
});

it('RefusedKeys counts a key with the plan that it has now', () => {
  const keys = new RefusedKeys();
  for (let minute = 0; minute <= 60; minute += 10)
    keys.note('one', minute < 60 ? 'free' : 'pro', minute * MINUTE_MS);
  expect(keys.countByPlan(60 * MINUTE_MS)).toEqual({ ...NONE, pro: 1 });
});
