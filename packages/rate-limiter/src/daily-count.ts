import type { Logger } from './logger.js';
import { withinDeadline } from './deadline.js';

/** How many requests of a subject were admitted on the UTC day that starts at `dayStartMs`. */
export type LoadDailyCount = (id: string, dayStartMs: number) => Promise<number>;

/** The longest that a request waits for its initial count. */
const WAIT_MS = 1_000;

/** Loads once for all requests that wait for the same count. The result never rejects: it is 0 after a failure or a second. */
export function sharedLoad(load: LoadDailyCount, logger: Logger): LoadDailyCount {
  const loading = new Map<string, Promise<number>>();

  async function loadInTime(id: string, dayStartMs: number): Promise<number> {
    try {
      // An operator's negative count would be asked for again and again, because no store holds one.
      return Math.max(0, await withinDeadline(load(id, dayStartMs), WAIT_MS));
    } catch (err) {
      logger.warn({ id, err }, "today's count cannot be loaded, and starts at zero");
      return 0;
    }
  }

  return (id, dayStartMs) => {
    const name = `${dayStartMs} ${id}`;
    const result = loading.get(name) ?? loadInTime(id, dayStartMs).finally(() => loading.delete(name));
    loading.set(name, result);
    return result;
  };
}
