/** What a key had left when the service answered last, in the window that is used up soonest. */
export interface Limits {
  /** Requests that the window holds. */
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** The limits that an answer shows; undefined where it shows none, as one of a proxy. */
export function limitsOf({ headers }: Response): Limits | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  );
  if (!limit || !remaining || !reset) return undefined;
  return { limit: Number(limit), remaining: Number(remaining), resetAt: new Date(Number(reset) * 1000) };
}
