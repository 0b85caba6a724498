import type { Answer } from './client.js';

/** The number of requests left today, as the headers of a response say. */
export function dayLeft({ headers }: Pick<Answer, 'headers'>): number {
  return Number(/"day";r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
}

/** The number of requests left in the window that has the fewest. */
export function requestsLeft({ headers }: Pick<Answer, 'headers'>): number {
  return Number(headers['x-ratelimit-remaining']);
}
