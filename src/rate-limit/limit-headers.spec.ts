import { describe, expect, it } from '@jest/globals';
import type { Decision, Outcome } from 'exact-rate-limiter';
import { DECISION_HEADERS, limitHeaders } from './limit-headers.js';
import { keptName } from '../platform/http/responses/response-headers.js';
import { refusal } from './rate-limit.errors.js';

// 14:13:20.5: the minute ends in 39.5 s, the day in 35,199.5 s.
const NOW_MS = Date.UTC(2026, 10, 20, 14, 13, 20, 500);
const MINUTE_END_MS = Date.UTC(2026, 10, 20, 14, 14);
const DAY_END_MS = Date.UTC(2026, 10, 21);

function decision(
  outcome: Outcome,
  minuteUsed: number,
  dayUsed: number | null,
  bannedUntilMs?: number,
): Decision {
  const windowOf = (name: 'minute' | 'day', limit: number, used: number, resetAtMs: number) => ({
    name,
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resetAtMs,
  });
  const minute = windowOf('minute', 60, minuteUsed, MINUTE_END_MS);
  return {
    outcome,
    source: 'memory',
    nowMs: NOW_MS,
    windows: dayUsed === null ? [minute] : [minute, windowOf('day', 1_000, dayUsed, DAY_END_MS)],
    bannedUntilMs: bannedUntilMs ?? null,
    startedBan: null,
  };
}

const seconds = (ms: number) => String(Math.ceil(ms / 1000));

/** All headers of a 429. */
const refusalHeaders = (of: Decision): Record<string, string> => ({
  ...limitHeaders(of),
  ...refusal(of).headers,
});

describe('headers of an admitted request', () => {
  it('show the tightest window, and both windows in the structured fields', () => {
    expect(limitHeaders(decision('admitted', 1, 1))).toEqual({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': seconds(MINUTE_END_MS),
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=59;t=40, "day";r=999;t=35200',
    });
  });

  it('show the day if it has at most as many requests left as the minute', () => {
    expect(limitHeaders(decision('admitted', 1, 950))['x-ratelimit-limit']).toBe('1000');
    expect(limitHeaders(decision('admitted', 10, 950))['x-ratelimit-limit']).toBe('1000');
    expect(limitHeaders(decision('admitted', 10, 949))['x-ratelimit-limit']).toBe('60');
  });

  it('show one window for an address', () => {
    expect(limitHeaders(decision('admitted', 1, null))['ratelimit-policy']).toBe('"minute";q=60;w=60');
  });
});

describe('headers of a refused request', () => {
  it.each([
    ['the minute when it is exhausted', 60, 100, MINUTE_END_MS, '40'],
    ['the day when it is exhausted', 5, 1_000, DAY_END_MS, '35200'],
    ['the window that resets later if both are exhausted', 60, 1_000, DAY_END_MS, '35200'],
    ['no negative value after the limit was lowered', 70, 1_500, DAY_END_MS, '35200'],
  ])('show %s', (_, minuteUsed, dayUsed, resetAtMs, retryAfter) => {
    const headers = refusalHeaders(decision('refused', minuteUsed, dayUsed));
    expect(headers['x-ratelimit-remaining']).toBe('0');
    expect(headers['x-ratelimit-reset']).toBe(seconds(resetAtMs));
    expect(headers['Retry-After']).toBe(retryAfter);
    expect(Object.keys(headers)).toEqual([...DECISION_HEADERS.map(keptName), 'Retry-After']);
  });

  it('show a Retry-After of at least one second', () => {
    const late = { ...decision('refused', 60, 100), nowMs: MINUTE_END_MS - 1 };
    expect(refusalHeaders(late)['Retry-After']).toBe('1');
    expect(refusalHeaders({ ...late, nowMs: MINUTE_END_MS })['Retry-After']).toBe('1');
  });
});

describe('headers during a ban', () => {
  const inTenMinutesMs = NOW_MS + 600_000;

  it('show the limit of the tightest window, no remaining requests, and the end of the ban', () => {
    expect(refusalHeaders(decision('banned', 60, 100, inTenMinutesMs))).toMatchObject({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': seconds(inTenMinutesMs),
      ratelimit: '"minute";r=0;t=600, "day";r=0;t=600',
      'Retry-After': '600',
    });
  });

  it('show the end of the day if that is exhausted for longer than the ban', () => {
    expect(refusalHeaders(decision('banned', 5, 1_000, inTenMinutesMs))).toMatchObject({
      'x-ratelimit-limit': '1000',
      'x-ratelimit-reset': seconds(DAY_END_MS),
      ratelimit: '"minute";r=0;t=600, "day";r=0;t=35200',
      'Retry-After': '35200',
    });
  });

  it('show the end of the ban if it is later than the end of the exhausted day', () => {
    const tomorrowMs = DAY_END_MS + 3_600_000;
    expect(refusalHeaders(decision('banned', 5, 1_000, tomorrowMs))['x-ratelimit-reset']).toBe(
      seconds(tomorrowMs),
    );
  });
});
