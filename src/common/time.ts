export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** The start of the epoch-aligned window of `windowMs` that contains `nowMs`. */
export function windowStartMs(windowMs: number, nowMs: number): number {
  return Math.floor(nowMs / windowMs) * windowMs;
}
