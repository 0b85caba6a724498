import type { KeyBan } from '../auth/keys/api-key.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, windowStartMs } from '../platform/common/time.js';

/** The numbers and rules of windows, refusals and bans. Every window is aligned to the epoch; all times are milliseconds. */

/** The window over which refusals are counted. */
export const REFUSAL_WINDOW_MS = 600_000;
/** How many refusals one refusal window allows before a ban, in multiples of the limit per minute. */
export const REFUSALS_PER_LIMIT = 10;

export const FIRST_BAN_MS = 600_000;
export const LONGEST_BAN_MS = DAY_MS;
/** A ban that starts this soon after the end of the last one lasts twice as long. */
export const BAN_MEMORY_MS = DAY_MS;

/**
 * How far a clock may step back (a corrected clock, another Redis node) while running windows continue. They then end
 * at the time that was announced. After a larger step other windows run, so that none stays frozen, and the count of the latest one is
 * kept until the clock returns to it.
 */
export const BACKWARD_STEP_MS = MINUTE_MS;

/** The start of the window that counts at `nowMs`: the stored window while it runs, else the one that `nowMs` falls in. */
export function runningWindowStartMs(storedStartMs: number, windowMs: number, nowMs: number): number {
  const isRunning = nowMs < storedStartMs + windowMs && nowMs >= storedStartMs - BACKWARD_STEP_MS;
  return isRunning ? storedStartMs : windowStartMs(windowMs, nowMs);
}

/**
 * How far ahead a window may be that the clock has stepped back from and whose count is kept, for the time when the clock returns. One
 * that is further ahead was made by a wrong clock.
 */
export const LATER_WINDOW_MS = 2 * DAY_MS;

/**
 * Whether the counters have seen the day begin, so that its count starts at zero and need not be loaded: they still hold the day before,
 * and none that is later. `storedStartMs` and `laterStartMs`: the held day, and the latest one that the clock has stepped back from.
 */
export function hasSeenDayBegin(
  dayStartMs: number,
  storedStartMs: number,
  laterStartMs: number,
  nowMs: number,
): boolean {
  return storedStartMs === dayStartMs - DAY_MS && laterStartMs < dayStartMs && nowMs - dayStartMs < HOUR_MS;
}

/** False for a ban that starts in the future: a wrong clock made it, and it is not applied. */
export function hasBanStarted(ban: KeyBan, nowMs: number): boolean {
  return ban.untilMs - ban.durationMs <= nowMs + BACKWARD_STEP_MS;
}

/** The ban that starts at `nowMs`. */
export function nextBan(last: KeyBan | null, nowMs: number): KeyBan {
  const isSoon = last !== null && nowMs - last.untilMs <= BAN_MEMORY_MS;
  const doubledMs = isSoon ? last.durationMs * 2 : 0;
  const durationMs = Math.min(Math.max(doubledMs, FIRST_BAN_MS), LONGEST_BAN_MS);
  return { untilMs: nowMs + durationMs, durationMs };
}

/** What a request is counted against, with the limits of this moment: a client address or an API key, as ApiKeyGuard finds it. */
export interface Subject {
  /** The id of the key, or the address. */
  id: string;
  perMinute: number;
  /** null: an address, which has no day window and is never banned. */
  perDay: number | null;
  /** The last ban on the key's row, over or not; null: none. */
  ban: KeyBan | null;
  /** Refusals, bans and doubling from before this moment no longer count; 0: never reset. */
  penaltiesResetAtMs: number;
}

export function subjectOfAddress(address: string, perMinute: number): Subject {
  return { id: address, perMinute, perDay: null, ban: null, penaltiesResetAtMs: 0 };
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

/** What decided: an allowance of this replica, the shared counters in Redis, or memory. */
export type Source = 'allowance' | 'redis' | 'memory';

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
  startedBan: KeyBan | null;
}

/** A promise only where the decision has to wait. Most do not, and each promise costs every request. */
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
