import { describe, expect, it } from '@jest/globals';
import { retryAfterMsOf, retryDelayMs } from './retry-delay.js';

describe('retryDelayMs', () => {
  it('doubles from retry to retry, up to a longest', () => {
    const delays = [0, 1, 2, 3, 20].map((retry) => retryDelayMs(retry, 0, 0.5));
    expect(delays).toEqual([375, 750, 1_500, 3_000, 22_500]);
  });

  it('is half chance', () => {
    expect([0, 0.999].map((random) => retryDelayMs(2, 0, random))).toEqual([1_000, 1_999]);
  });

  it('is never before what the service asked for', () => {
    expect(retryDelayMs(0, 30_000, 0)).toBe(30_250);
  });
});

describe('retryAfterMsOf', () => {
  const nowMs = Date.UTC(2026, 10, 20, 12);

  it.each([
    ['0', 0],
    ['42', 42_000],
    ['Fri, 20 Nov 2026 12:00:05 GMT', 5_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
  ])('reads %s', (value, waitMs) => {
    expect(retryAfterMsOf(new Response(null, { headers: { 'retry-after': value } }), nowMs)).toBe(waitMs);
  });

  it('is undefined without the header', () => {
    expect(retryAfterMsOf(new Response(), nowMs)).toBeUndefined();
  });
});
