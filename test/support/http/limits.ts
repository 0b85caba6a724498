import type { Answer } from './client.js';

/** How many requests an answer says are left today. */
export function dayLeft({ headers }: Pick<Answer, 'headers'>): number {
  return Number(/"day";r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
}
