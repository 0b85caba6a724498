import type { Decision, Subject } from '../decision.js';

/**
 * Decides and counts. A class, so that it can be injected. Only shared counters reject, when they are away; with a fallback there is
 * always a decision.
 */
export abstract class Counters {
  /** Decides one request: it passes and counts in every window, or counts in none. */
  abstract decide(subject: Subject): Promise<Decision>;
  /** Reads the state, free of charge. */
  abstract peek(subject: Subject): Promise<Decision>;
}

/** Where a store finds a key's initial count of the day when it holds none. */
export interface DailyCountOptions {
  /** How many requests of the subject usage recorded as admitted on the UTC day. */
  loadDailyCount: (subjectId: string, dayStartMs: number) => Promise<number>;
  /** The day starts at zero then. */
  onLoadFailed?: (subjectId: string, error: unknown) => void;
}

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
      return await Promise.race([this.options.loadDailyCount(subjectId, dayStartMs), late.promise]);
    } catch (error) {
      this.options.onLoadFailed?.(subjectId, error);
      return 0;
    } finally {
      clearTimeout(timer);
    }
  }
}
