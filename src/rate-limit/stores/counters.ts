import type { Decision, Subject } from '../decision/decision.js';

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
