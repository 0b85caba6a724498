const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];

/** The waits after the first failures in a row; every later one is the last. */
const WAITS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, 15 * MINUTE_MS] as const;
/** Endpoints that fail together are not tried again together. */
const SPREAD = 0.2;
/** A later `Retry-After` is not followed. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

/**
 * How long to wait after the `failures`-th failure in a row. `retryAfterMs`: what the endpoint asks for; it gets no shorter wait than the
 * shortest. `random`: from 0 to 1.
 */
export function waitMsAfter(
  failures: number,
  retryAfterMs: number | undefined,
  random = Math.random(),
): number {
  if (retryAfterMs !== undefined) return Math.max(retryAfterMs, WAITS_MS[0]);
  const waitMs = WAITS_MS[failures - 1] ?? WAITS_MS[WAITS_MS.length - 1] ?? 0;
  return Math.round(waitMs * (1 + SPREAD * (2 * random - 1)));
}

/** The wait that a `Retry-After` asks for, in seconds or as a date; undefined where it is none, or longer than an hour. */
export function retryAfterMsOf(header: string, nowMs: number): number | undefined {
  const isDate = /^[A-Z][a-z]{2}, /.test(header);
  const waitMs = isDate
    ? Date.parse(header) - nowMs
    : /^\d{1,10}$/.test(header)
      ? Number(header) * SECOND_MS
      : NaN;
  return Number.isNaN(waitMs) || waitMs > MAX_RETRY_AFTER_MS ? undefined : Math.max(waitMs, 0);
}
