import type { SeedOptions } from './counters.js';

const RETRY_AFTER_MS = 5_000;

export interface DaySeedsOptions extends SeedOptions {
  /** The longest a request waits for a read; a later answer still counts. */
  waitMs: number;
  clock: { nowMs(): number };
  /** Called with each count that was read, also when nobody waits any more. */
  apply: (subjectId: string, dayStartMs: number, used: number) => void;
}

/** Reads what a key has used today: once for all who ask at a time, and not again at once after a failure. */
export class DaySeeds {
  private readonly reading = new Map<string, Promise<void>>();
  /** When a subject whose read failed may be read again. Lives for one day. */
  private readonly retryAtMs = new Map<string, number>();
  private retryDayStartMs = 0;

  constructor(private readonly options: DaySeedsOptions) {}

  get isOn(): boolean {
    return this.options.seedDay !== undefined;
  }

  /** Reads; resolves when the count was applied, when that failed, or when it has taken long enough. Never rejects. */
  async load(subjectId: string, dayStartMs: number): Promise<void> {
    const read = this.read(subjectId, dayStartMs);
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.options.waitMs)));
    await Promise.race([read, enough]);
    clearTimeout(timer);
  }

  /** Reads again for a subject whose day began without a count, if that is due. Nobody waits. */
  retry(subjectId: string, dayStartMs: number): void {
    const retryAtMs = this.retryDayStartMs === dayStartMs ? this.retryAtMs.get(subjectId) : undefined;
    if (retryAtMs !== undefined) {
      const toGoMs = retryAtMs - this.options.clock.nowMs();
      // More than the delay: the clock was turned back meanwhile.
      if (toGoMs > 0 && toGoMs <= RETRY_AFTER_MS) return;
    }
    void this.read(subjectId, dayStartMs);
  }

  private read(subjectId: string, dayStartMs: number): Promise<void> {
    const name = `${dayStartMs} ${subjectId}`;
    let reading = this.reading.get(name);
    if (!reading) {
      reading = this.readOnce(subjectId, dayStartMs).finally(() => this.reading.delete(name));
      this.reading.set(name, reading);
    }
    return reading;
  }

  private async readOnce(subjectId: string, dayStartMs: number): Promise<void> {
    this.delayRetry(subjectId, dayStartMs);
    try {
      const used = (await this.options.seedDay?.(subjectId, dayStartMs)) ?? 0;
      if (!Number.isSafeInteger(used) || used < 0) throw new RangeError(`used today: ${used} is no count`);
      this.retryAtMs.delete(subjectId);
      this.options.apply(subjectId, dayStartMs, used);
    } catch (error) {
      this.options.onSeedFailed?.(subjectId, error);
    }
  }

  private delayRetry(subjectId: string, dayStartMs: number): void {
    if (this.retryDayStartMs !== dayStartMs) this.retryAtMs.clear();
    this.retryDayStartMs = dayStartMs;
    this.retryAtMs.set(subjectId, this.options.clock.nowMs() + RETRY_AFTER_MS);
  }
}
