import type { Ban } from './decision.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.js';

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
  return isRunning ? storedStartMs : Math.floor(nowMs / windowMs) * windowMs;
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
export function hasBanStarted(ban: Ban, nowMs: number): boolean {
  return ban.untilMs - ban.durationMs <= nowMs + BACKWARD_STEP_MS;
}

/** The ban that starts at `nowMs`. */
export function nextBan(last: Ban | null, nowMs: number): Ban {
  const isSoon = last !== null && nowMs - last.untilMs <= BAN_MEMORY_MS;
  const doubledMs = isSoon ? last.durationMs * 2 : 0;
  const durationMs = Math.min(Math.max(doubledMs, FIRST_BAN_MS), LONGEST_BAN_MS);
  return { untilMs: nowMs + durationMs, durationMs };
}
