import { describe, expect, it } from '@jest/globals';
import { retryAfterMsOf, waitMsAfter } from './retry.js';

const NOW_MS = Date.UTC(2026, 10, 20, 12);

describe('the wait after a failure', () => {
  it.each([
    [1, 5_000],
    [2, 30_000],
    [3, 300_000],
    [4, 900_000],
    [400, 900_000],
  ])('is the %i-th of the schedule, spread by 20 %%', (failures, waitMs) => {
    const waits = [0, 0.5, 1].map((random) => waitMsAfter(failures, undefined, random));

    expect(waits).toEqual([0.8, 1, 1.2].map((factor) => waitMs * factor));
  });

  it('is what the endpoint asks for, but not shorter than the shortest', () => {
    expect([0, 60_000].map((asked) => waitMsAfter(4, asked))).toEqual([5_000, 60_000]);
  });
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['3600', 3_600_000],
    ['3601', undefined],
    ['99999999999999', undefined],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['Fri, 20 Nov 2026 13:00:01 GMT', undefined],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
  ])('of %j is %j', (header, expected) => expect(retryAfterMsOf(header, NOW_MS)).toBe(expected));
});
