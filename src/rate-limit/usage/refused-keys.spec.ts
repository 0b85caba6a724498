import { expect, it } from '@jest/globals';
import type { ApiKeysService } from '../../auth/keys/api-keys.service.js';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { MINUTE_MS } from '../../platform/common/time.js';
import { RefusedKeys } from './refused-keys.js';

it('a key counts as refused for long from an hour of refusals on, until they pause', () => {
  let nowMs = Date.UTC(2026, 10, 20);
  const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
  const refused = new RefusedKeys(new BackgroundTasks(), {} as ApiKeysService, clock, null);
  for (let minute = 0; minute <= 60; minute += 1) {
    if (minute % 5 === 0) refused.note('steady', nowMs);
    if (minute % 6 === 0) refused.note('pausing', nowMs);
    if (minute < 50) expect(refused.refusedForLong()).toEqual([]);
    nowMs += MINUTE_MS;
  }
  expect(refused.refusedForLong()).toEqual(['steady']);
  nowMs += 5 * MINUTE_MS;
  expect(refused.refusedForLong()).toEqual([]);
});
