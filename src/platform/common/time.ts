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

let lastDay = { startMs: NaN, text: '' };

/** The UTC day of a moment, for example 2026-11-21. Every request asks for it, so the last one is kept. */
export function utcDay(atMs: number): string {
  const startMs = windowStartMs(DAY_MS, atMs);
  if (startMs !== lastDay.startMs) lastDay = { startMs, text: new Date(startMs).toISOString().slice(0, 10) };
  return lastDay.text;
}
