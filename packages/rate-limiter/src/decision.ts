import { DAY_MS, MINUTE_MS } from './time.js';

/** A ban, in force or ended. It began at `untilMs - durationMs`. */
export interface Ban {
  untilMs: number;
  durationMs: number;
}

/** What a request is counted against, with the limits of this moment, such as an API key or a client address. */
export interface Subject {
  /** Unique among all subjects. */
  id: string;
  perMinute: number;
  /** null: no day window and no bans. */
  perDay: number | null;
  /** The last ban that the application has stored, over or not. Absent or null: none. */
  ban?: Ban | null;
  /** Refusals, bans and doubling from before this moment no longer count. Absent or 0: never reset. */
  penaltiesResetAtMs?: number;
}

/** Whether nothing has changed that decides. */
export function isSameSubject(a: Subject, b: Subject): boolean {
  return (
    a.perMinute === b.perMinute &&
    a.perDay === b.perDay &&
    a.penaltiesResetAtMs === b.penaltiesResetAtMs &&
    a.ban?.untilMs === b.ban?.untilMs
  );
}

export type WindowName = 'minute' | 'day';

export const WINDOW_MS: Record<WindowName, number> = { minute: MINUTE_MS, day: DAY_MS };

export interface WindowState {
  name: WindowName;
  limit: number;
  /** May exceed the limit after the limit was lowered. */
  used: number;
  /** Never negative. */
  remaining: number;
  resetAtMs: number;
}

export type Outcome = 'admitted' | 'refused' | 'banned';

/** What decided: an allowance of this process, a refusal that it knows to last, the shared counters in Redis, or memory. */
export type Source = 'allowance' | 'refusal' | 'redis' | 'memory';

export interface Decision {
  /** For a peek: the outcome that a request would have. */
  outcome: Outcome;
  source: Source;
  /** The time on the clock that decided. */
  nowMs: number;
  /** After this request; the minute first, the day second where there is one. */
  windows: WindowState[];
  /** null unless a ban is in force. */
  bannedUntilMs: number | null;
  /** Set only on the request that starts a ban, so that the ban is stored and logged once. */
  startedBan: Ban | null;
}

/** A promise only where the decision has to wait: most do not, and a promise costs as much as a decision in memory. `await` takes both. */
export type Decided = Decision | Promise<Decision>;

/** The running windows of a subject: of an address only the minute. */
export function windowsOf(
  { perMinute, perDay }: Subject,
  minuteStartMs: number,
  minuteUsed: number,
  dayStartMs: number,
  dayUsed: number,
): WindowState[] {
  const minute = windowOf('minute', perMinute, minuteUsed, minuteStartMs + MINUTE_MS);
  return perDay === null ? [minute] : [minute, windowOf('day', perDay, dayUsed, dayStartMs + DAY_MS)];
}

export function windowOf(name: WindowName, limit: number, used: number, resetAtMs: number): WindowState {
  return { name, limit, used, remaining: Math.max(0, limit - used), resetAtMs };
}
