import type { Decided, Subject } from './decision.js';

/** Decides and counts. Only shared counters reject, when they are away; with a fallback there is always a decision. */
export abstract class Counters {
  /** Decides one request: it passes and counts in every window, or counts in none. `cost` 0: counts nothing. */
  abstract decide(subject: Subject, cost?: 0 | 1): Decided;

  /** What a request would get, free of charge. */
  peek(subject: Subject): Decided {
    return this.decide(subject, 0);
  }

  /** Call it before the process stops. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
