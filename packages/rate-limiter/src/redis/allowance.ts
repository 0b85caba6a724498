import { type Decision, type Subject, type WindowState, isSameSubject, windowOf } from '../decision.js';
import { DAY_MS, MINUTE_MS } from '../time.js';
import { ALLOWANCE_MS, type Returned, type SharedReply } from './shared-counters.js';

/** Requests of one caller that the shared counters have counted ahead. */
export class Allowance {
  left: number;
  /** The end on the monotonic clock, reckoned from before the call. */
  readonly untilMs: number;
  /** As the shared counters last showed them, with all that was granted. */
  private windows: WindowState[];
  /** What has to be added to the monotonic clock for a time that is never before Redis's. */
  private readonly clockOffsetMs: number;

  /** `subject`: the key as it is when it is granted; `sentAtMs`: on the monotonic clock. */
  constructor(
    readonly subject: Subject,
    { granted, nowMs, windows }: SharedReply,
    sentAtMs: number,
  ) {
    const minuteEndsInMs = (windows[0]?.resetAtMs ?? 0) - nowMs;
    this.left = granted;
    this.untilMs = sentAtMs + Math.min(ALLOWANCE_MS, minuteEndsInMs);
    this.windows = windows;
    this.clockOffsetMs = nowMs - sentAtMs;
  }

  /** Admits a request of the caller; null when nothing is left, the time is over or the key has changed. */
  admit(subject: Subject, nowMs: number): Decision | null {
    if (this.left === 0 || nowMs >= this.untilMs || !isSameSubject(subject, this.subject)) return null;
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

  /** Takes note of a later reply, whose windows count what this replica has asked for since. Returns them without what is left. */
  see(windows: WindowState[]): WindowState[] {
    const isSameMinute = windows[0]?.resetAtMs === this.windows[0]?.resetAtMs;
    if (isSameMinute) this.windows = windows;
    return withUnused(windows, this.left, this.windows);
  }

  /** What is left, for a call that returns it. It is not returned again, because a call that failed may have arrived. */
  takeBack(): Returned | null {
    const { left: count, windows } = this;
    this.left = 0;
    if (count === 0) return null;
    const [minute, day] = windows;
    return {
      minuteStartMs: (minute?.resetAtMs ?? 0) - MINUTE_MS,
      dayStartMs: day ? day.resetAtMs - DAY_MS : 0,
      count,
    };
  }
}

/** The windows without `unused` requests, which those in `counted` count. */
function withUnused(windows: WindowState[], unused: number, counted = windows): WindowState[] {
  return windows.map((window, index) => {
    const isCounted = counted[index]?.resetAtMs === window.resetAtMs;
    const used = isCounted ? Math.max(0, window.used - unused) : window.used;
    return windowOf(window.name, window.limit, used, window.resetAtMs);
  });
}
