import { DAY_MS, MINUTE_MS } from '../../platform/common/time.js';
import { type Decision, type Subject, type Windows, type WindowState, RULES, windowOf } from '../decision.js';
import type { Returned, SharedReply } from './counters.js';

/** Requests of one caller that the shared counters have counted ahead. */
export class Allowance {
  left: number;
  /** The end on the monotonic clock, reckoned from before the call. */
  readonly untilMs: number;
  /** With all that was granted. */
  readonly windows: Windows;
  /** What has to be added to the monotonic clock for a time that is never before Redis's. */
  private readonly clockOffsetMs: number;

  /** `subject`: the key as it is when it is granted; `sentAtMs`: on the monotonic clock. */
  constructor(
    private readonly subject: Subject,
    { granted, nowMs, windows }: SharedReply,
    sentAtMs: number,
  ) {
    const minuteEndsInMs = windows[0].resetAtMs - nowMs;
    this.left = granted;
    this.untilMs = sentAtMs + Math.min(RULES.ALLOWANCE_MS, minuteEndsInMs);
    this.windows = windows;
    this.clockOffsetMs = nowMs - sentAtMs;
  }

  /** Admits a request of the caller; null when nothing is left, the time is over or the key has changed. */
  admit(subject: Subject, nowMs: number): Decision | null {
    if (this.left === 0 || nowMs >= this.untilMs || !isSame(subject, this.subject)) return null;
    this.left -= 1;
    return {
      outcome: 'admitted',
      source: 'allowance',
      nowMs: Math.floor(nowMs + this.clockOffsetMs),
      windows: withUnused(this.windows, this.left),
      bannedUntilMs: null,
      startedBan: null,
    };
  }

  /** What is left, for a call that returns it. It is not returned again, because a call that failed may have arrived. */
  takeBack(): Returned | null {
    const count = this.left;
    if (count === 0) return null;
    this.left = 0;
    const [minute, day] = this.windows;
    return {
      minuteStartMs: minute.resetAtMs - MINUTE_MS,
      dayStartMs: day ? day.resetAtMs - DAY_MS : 0,
      count,
    };
  }
}

function isSame(now: Subject, granted: Subject): boolean {
  return (
    now.perMinute === granted.perMinute &&
    now.perDay === granted.perDay &&
    now.penaltiesResetAtMs === granted.penaltiesResetAtMs &&
    now.ban?.untilMs === granted.ban?.untilMs
  );
}

/** The windows without `unused` of the requests that they count. */
export function withUnused([minute, day]: Windows, unused: number): Windows {
  return day ? [windowWithout(minute, unused), windowWithout(day, unused)] : [windowWithout(minute, unused)];
}

function windowWithout({ name, limit, used, resetAtMs }: WindowState, unused: number): WindowState {
  return windowOf(name, limit, Math.max(0, used - unused), resetAtMs);
}
