import { RecentMap } from '../../common/recent-map.js';
import type { DailyCountOptions } from './counters.js';

const RETRY_AFTER_MS = 5_000;
/** The longest a request waits for its initial count; a later result is still applied. */
const WAIT_MS = 1_000;
const MAX_LOADING = 10_000;
const MAX_RETRIES = 100_000;

export interface DailyCountLoaderOptions extends DailyCountOptions {
  clock: { nowMs(): number };
  /** Receives each count that was loaded, also after its request stopped waiting. */
  apply: (subjectId: string, dayStartMs: number, count: number) => void;
}

/** Loads initial counts: once for all requests that wait for one, and not again at once after a failure. */
export class DailyCountLoader {
  private readonly loading = new Map<string, Promise<void>>();
  /** The earliest time of the next attempt, by day and subject. */
  private readonly retryAtMs: RecentMap<string, number>;

  constructor(
    private readonly options: DailyCountLoaderOptions,
    private readonly maxLoading = MAX_LOADING,
    maxRetries = MAX_RETRIES,
  ) {
    this.retryAtMs = new RecentMap(maxRetries);
  }

  get isOn(): boolean {
    return this.options.loadDailyCount !== undefined;
  }

  /** How many loads and noted failures are held. */
  get size(): number {
    return this.loading.size + this.retryAtMs.size;
  }

  /** Resolves when the count was applied, when that failed, or after a second. Never rejects. */
  async load(subjectId: string, dayStartMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAIT_MS)));
    await Promise.race([this.loadOnce(subjectId, dayStartMs), enough]);
    clearTimeout(timer);
  }

  /** Loads again in the background for a subject whose day began without its count, when that is due. */
  retry(subjectId: string, dayStartMs: number): void {
    const retryAtMs = this.retryAtMs.get(nameOf(subjectId, dayStartMs));
    if (retryAtMs !== undefined) {
      const toGoMs = retryAtMs - this.options.clock.nowMs();
      // A longer wait than the delay means that the clock was set back.
      if (toGoMs > 0 && toGoMs <= RETRY_AFTER_MS) return;
    }
    void this.loadOnce(subjectId, dayStartMs);
  }

  private loadOnce(subjectId: string, dayStartMs: number): Promise<void> {
    const name = nameOf(subjectId, dayStartMs);
    let loading = this.loading.get(name);
    if (!loading) {
      loading = this.attempt(name, subjectId, dayStartMs).finally(() => this.loading.delete(name));
      this.loading.set(name, loading);
    }
    return loading;
  }

  private async attempt(name: string, subjectId: string, dayStartMs: number): Promise<void> {
    this.retryAtMs.set(name, this.options.clock.nowMs() + RETRY_AFTER_MS);
    try {
      if (this.loading.size >= this.maxLoading) throw new Error('too many counts are being loaded');
      const count = (await this.options.loadDailyCount?.(subjectId, dayStartMs)) ?? 0;
      if (!Number.isSafeInteger(count) || count < 0)
        throw new RangeError(`used today: ${count} is not a count`);
      this.retryAtMs.delete(name);
      this.options.apply(subjectId, dayStartMs, count);
    } catch (error) {
      this.options.onLoadFailed?.(subjectId, error);
    }
  }
}

function nameOf(subjectId: string, dayStartMs: number): string {
  return `${dayStartMs} ${subjectId}`;
}
