/** Time as the limits see it. Every window is aligned to the epoch; everything is in milliseconds. */

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** Refusals are counted over this long to find who hammers on. */
export const REFUSAL_WINDOW_MS = 600_000;

export const FIRST_BAN_MS = 600_000;
export const LONGEST_BAN_MS = DAY_MS;
/** A ban that starts this soon after the last one's end lasts twice as long as that one. */
export const BAN_MEMORY_MS = DAY_MS;

/** How many refusals a key may collect in one refusal window, in multiples of its limit per minute. */
export const REFUSALS_PER_LIMIT = 10;

/**
 * How far a clock may step back (a corrected clock, another Redis node) while running windows run on. They then
 * end when they said they would. Further back, counting starts afresh, so that no window stays frozen.
 */
export const BACKWARD_STEP_MS = MINUTE_MS;

/** A ban: when it ends and how long it is in all. Its start is the difference. */
export interface Ban {
  untilMs: number;
  lastedMs: number;
}

export function windowStartMs(windowMs: number, nowMs: number): number {
  return Math.floor(nowMs / windowMs) * windowMs;
}

/** The start of the window that now counts, given the one kept so far: that one still, or the one now falls in. */
export function runningWindowStartMs(keptStartMs: number, windowMs: number, nowMs: number): number {
  const goesOn = nowMs < keptStartMs + windowMs && nowMs >= keptStartMs - BACKWARD_STEP_MS;
  return goesOn ? keptStartMs : windowStartMs(windowMs, nowMs);
}

/** False for a ban that starts in the future: a clock that was wrong gave it, and nobody shall wait for it. */
export function hasBanStarted(ban: Ban, nowMs: number): boolean {
  return ban.untilMs - ban.lastedMs <= nowMs + BACKWARD_STEP_MS;
}

/** The ban that starts now. */
export function nextBan(last: Ban | null, nowMs: number): Ban {
  const isSoon = last !== null && nowMs - last.untilMs <= BAN_MEMORY_MS;
  const doubledMs = isSoon ? last.lastedMs * 2 : 0;
  const lastedMs = Math.min(Math.max(doubledMs, FIRST_BAN_MS), LONGEST_BAN_MS);
  return { untilMs: nowMs + lastedMs, lastedMs };
}
