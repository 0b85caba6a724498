import type { DailyCountOptions } from './counters.js';

/** The longest that a request waits for its initial count. */
const WAIT_MS = 1_000;

/** Loads initial counts, once for all requests that wait for one. */
export class DailyCountLoader {
  private readonly loading = new Map<string, Promise<number>>();

  constructor(private readonly options: DailyCountOptions) {}

  /** The count, or 0 after a failure or a second. Never rejects. */
  load(subjectId: string, dayStartMs: number): Promise<number> {
    const name = `${dayStartMs} ${subjectId}`;
    let loading = this.loading.get(name);
    if (!loading) {
      loading = this.attempt(subjectId, dayStartMs).finally(() => this.loading.delete(name));
      this.loading.set(name, loading);
    }
    return loading;
  }

  private async attempt(subjectId: string, dayStartMs: number): Promise<number> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`not loaded within ${WAIT_MS} ms`)), WAIT_MS);
    try {
      const count = await Promise.race([this.options.loadDailyCount(subjectId, dayStartMs), late.promise]);
      if (!Number.isSafeInteger(count) || count < 0)
        throw new RangeError(`used today: ${count} is not a count`);
      return count;
    } catch (error) {
      this.options.onLoadFailed?.(subjectId, error);
      return 0;
    } finally {
      clearTimeout(timer);
    }
  }
}
