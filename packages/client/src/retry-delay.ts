const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * How long to wait before retry number 0, 1, 2 …: what the service asked for, and on top of it a time that doubles with
 * every retry and is half chance, so that callers who were refused together do not come back together.
 */
export function retryDelayMs(retry: number, retryAfterMs: number, random: number): number {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** retry, LONGEST_BACKOFF_MS);
  return retryAfterMs + (backoffMs * (1 + random)) / 2;
}

/** A Retry-After header in milliseconds, whether it came as seconds or, from something in between, as a date. */
export function retryAfterMsOf({ headers }: Response, nowMs: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
