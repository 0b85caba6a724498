import { Injectable } from '@nestjs/common';

/** The only source of time, so that a test can set it. */
@Injectable()
export class Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number {
    return Date.now();
  }

  /** Milliseconds from a clock that never goes back, for durations. Unrelated to the time of day. */
  monotonicMs(): number {
    return performance.now();
  }
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** The start of the epoch-aligned window of `windowMs` that contains `nowMs`. */
export function windowStartMs(windowMs: number, nowMs: number): number {
  return Math.floor(nowMs / windowMs) * windowMs;
}

/** The UTC day of a moment, for example 2026-11-21. */
export function utcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
