import { DAY_MS, windowStartMs } from './limit-windows.js';

let lastStartMs = Number.NaN;
let lastDay = '';

/** The UTC day of a moment, as in 2026-11-21. Asked for once per request, so the last answer is kept. */
export function utcDay(atMs: number): string {
  const startMs = windowStartMs(DAY_MS, atMs);
  if (startMs !== lastStartMs) {
    lastStartMs = startMs;
    lastDay = new Date(startMs).toISOString().slice(0, 10);
  }
  return lastDay;
}
