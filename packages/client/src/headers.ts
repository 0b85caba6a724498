/** What a key had left at the last answer of the service, in the window with the fewest requests left. */
export interface Limits {
  /** How many requests the window allows. */
  limit: number;
  remaining: number;
  /** Unix time in seconds, as in the answer of `getRateLimit()`. */
  resetAt: number;
}

/** The limits in an answer's headers; undefined when it has none, for example because a proxy sent it. */
export function limitsOf({ headers }: Response): Limits | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  if (!limit || !remaining || !reset) return undefined;
  return { limit: Number(limit), remaining: Number(remaining), resetAt: Number(reset) };
}

/** Retry-After in milliseconds. The service sends seconds; a proxy may send a date. */
export function retryAfterMsOf({ headers }: Response, nowMs: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/**
 * The entity tag of an answer; undefined when a proxy or a browser hides it. The service has strong tags only, of the state and not of
 * its compressed bytes, so the `W/` of a proxy that compresses is removed: `If-Match` never matches a weak tag.
 */
export function etagOf({ headers }: Response): string | undefined {
  return headers.get('etag')?.replace(/^W\//, '');
}
