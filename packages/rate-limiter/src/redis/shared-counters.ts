import type { Decision, Outcome, Subject } from '../decision.js';

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

/** What a process asks of the shared counters for one subject. */
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
