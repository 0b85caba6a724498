import { Logger } from '@nestjs/common';
import type { Decided, Decision, Outcome, Subject } from '../decision.js';

/**
 * Decides and counts. A class, so that it can be injected. Only shared counters reject, when they are away; with a fallback there is
 * always a decision.
 */
export abstract class Counters {
  /** Decides one request: it passes and counts in every window, or counts in none. `cost` 0: counts nothing. */
  abstract decide(subject: Subject, cost?: 0 | 1): Decided;

  /** What a request would get, free of charge. */
  peek(subject: Subject): Decided {
    return this.decide(subject, 0);
  }

  /** Before the process stops. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The tighter window must have room for this many allowances. */
export const ROOM_FACTOR = 20;
/** How long an allowance lasts at most. */
export const ALLOWANCE_MS = 250;
/** What is left of an allowance, and the windows that it was counted in. */
export interface Returned {
  minuteStartMs: number;
  dayStartMs: number;
  count: number;
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

/** The longest that a request waits for its initial count. */
const WAIT_MS = 1_000;

/** Loads once for all requests that wait for the same count. The result never rejects: it is 0 after a failure or a second. */
export function sharedLoad(load: LoadDailyCount): LoadDailyCount {
  const logger = new Logger('RateLimit');
  const loading = new Map<string, Promise<number>>();

  async function loadInTime(keyId: string, dayStartMs: number): Promise<number> {
    try {
      // An operator's negative count would be asked for again and again, because no store holds one.
      return Math.max(0, await withinDeadline(load(keyId, dayStartMs), WAIT_MS));
    } catch (err) {
      logger.warn({ keyId, err }, "today's count starts without what usage has recorded");
      return 0;
    }
  }

  return (keyId, dayStartMs) => {
    const name = `${dayStartMs} ${keyId}`;
    const result = loading.get(name) ?? loadInTime(keyId, dayStartMs).finally(() => loading.delete(name));
    loading.set(name, result);
    return result;
  };
}

/**
 * The answer, or a rejection when it does not arrive in time. Gives up one turn of the event loop after the time is over: while
 * this process stalled, the answer may have arrived and waits in the socket.
 */
export function withinDeadline<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${withinMs} ms`));
    const timer = setTimeout(() => setImmediate(late), withinMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
