import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Decision, Outcome, Subject, Windows } from '../decision.js';

/**
 * Decides and counts. A class, so that it can be injected. Only shared counters reject, when they are away; with a fallback there is
 * always a decision.
 */
export abstract class Counters {
  /** Decides one request: it passes and counts in every window, or counts in none. `cost` 0: counts nothing. */
  abstract decide(subject: Subject, cost?: 0 | 1): Promise<Decision>;
}

/** What is left of an allowance, and the windows that it was counted in. */
export interface Returned {
  count: number;
  windows: Windows;
}

/** What a replica asks of the shared counters for one caller. */
export interface Ask {
  /** 0: counts nothing. */
  cost: 0 | 1;
  /** The size of the allowance that the replica asks for; 0: none. */
  want: number;
  returned: Returned | null;
  /** The request can wait while allowances are out. */
  mayWait: boolean;
}

export interface SharedReply extends Omit<Decision, 'outcome' | 'source'> {
  outcome: Outcome | 'wait';
  /** The size of the allowance, which all windows already count; 0: none. */
  granted: number;
  /** Until when allowances are out, on the clock that decided; may be over. */
  allowancesUntilMs: number;
}

/** Counters that all replicas share. They reject when they are away. */
export interface SharedCounters {
  decide(subject: Subject, ask: Ask): Promise<SharedReply>;
}

/** How many requests of the key usage recorded as admitted on the UTC day: its initial count in a store that holds none. */
export type LoadDailyCount = (keyId: string, dayStartMs: number) => Promise<number>;

/** Loads once for all requests that wait for the same count, which is 0 when it cannot be loaded. */
export function sharedLoad(load: LoadDailyCount): LoadDailyCount {
  const logger = new Logger('RateLimit');
  const loading = new Map<string, Promise<number>>();
  return (keyId, dayStartMs) => {
    const name = `${dayStartMs} ${keyId}`;
    let count = loading.get(name);
    if (!count) {
      count = load(keyId, dayStartMs)
        .catch((err: unknown) => {
          logger.warn({ keyId, err }, "today's count starts without what usage has recorded");
          return 0;
        })
        .finally(() => loading.delete(name));
      loading.set(name, count);
    }
    return count;
  };
}

/** What is held of each caller, at most so many of them: whoever was not seen for the longest time is dropped. */
export class Callers<Held extends object> extends LRUCache<string, Held> {
  constructor(
    atMost: number,
    private readonly create: () => Held,
  ) {
    // With `max` it would allocate all entries at once.
    super({ maxSize: atMost, sizeCalculation: () => 1 });
  }

  of(id: string): Held {
    let held = this.get(id);
    if (!held) this.set(id, (held = this.create()));
    return held;
  }
}
