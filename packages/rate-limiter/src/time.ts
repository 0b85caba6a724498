/** Where time comes from. Handed in, so that a test can turn it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Milliseconds from a clock that never goes back, for durations. Unrelated to the time of day. */
  monotonicMs(): number;
}

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
