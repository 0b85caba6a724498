import { describe, expect, it } from '@jest/globals';
import { DAY_MS, MINUTE_MS, windowStartMs } from '../common/time.js';
import { FIRST_BAN_MS, hasBanStarted, nextBan, runningWindowStartMs } from './decision.js';

const NOON_MS = Date.UTC(2026, 10, 20, 12);

describe('a window', () => {
  it('is aligned to the minute or the UTC day', () => {
    expect(windowStartMs(MINUTE_MS, NOON_MS + 59_999)).toBe(NOON_MS);
    expect(windowStartMs(MINUTE_MS, NOON_MS + 60_000)).toBe(NOON_MS + 60_000);
    expect(windowStartMs(DAY_MS, NOON_MS)).toBe(Date.UTC(2026, 10, 20));
  });

  it.each([
    ['continues in its last millisecond', 59_999, NOON_MS],
    ['ends a millisecond later', 60_000, NOON_MS + 60_000],
    ['continues when the clock steps back by a minute', -60_000, NOON_MS],
    ['starts again when the clock steps back further', -60_001, NOON_MS - 120_000],
  ])('%s', (_, sinceStartMs, expectedMs) => {
    expect(runningWindowStartMs(NOON_MS, MINUTE_MS, NOON_MS + sinceStartMs)).toBe(expectedMs);
  });
});

describe('bans', () => {
  it('double from ten minutes to at most a day', () => {
    let ban = nextBan(null, NOON_MS);
    const minutes = [ban.durationMs / MINUTE_MS];
    for (let count = 0; count < 8; count += 1) {
      ban = nextBan(ban, ban.untilMs + 1);
      minutes.push(ban.durationMs / MINUTE_MS);
    }
    expect(minutes).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1440]);
  });

  it('start at ten minutes again a day after the last ban has ended', () => {
    const last = { untilMs: NOON_MS, durationMs: 4 * FIRST_BAN_MS };
    expect(nextBan(last, NOON_MS + DAY_MS).durationMs).toBe(8 * FIRST_BAN_MS);
    expect(nextBan(last, NOON_MS + DAY_MS + 1)).toEqual({
      untilMs: NOON_MS + DAY_MS + 1 + FIRST_BAN_MS,
      durationMs: FIRST_BAN_MS,
    });
  });

  it('are not applied if they start further in the future than clocks may differ', () => {
    const startingAt = (startMs: number) => ({ untilMs: startMs + FIRST_BAN_MS, durationMs: FIRST_BAN_MS });
    expect(hasBanStarted(startingAt(NOON_MS + MINUTE_MS), NOON_MS)).toBe(true);
    expect(hasBanStarted(startingAt(NOON_MS + MINUTE_MS + 1), NOON_MS)).toBe(false);
  });
});
