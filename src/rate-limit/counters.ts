import type { Decision, Subject } from './decision.js';

/** The counters of this process, for dependency injection. */
export const COUNTERS = Symbol('COUNTERS');

/** Decides and counts. Only shared counters that are away reject; behind a fallback there is always a decision. */
export interface Counters {
  /** One request: passes and counts in every window, or counts in none. */
  decide(subject: Subject): Promise<Decision>;
  /** The state, free of charge. */
  peek(subject: Subject): Promise<Decision>;
  close(): void;
}

/** How many requests of a key usage has recorded as admitted on the UTC day that starts at dayStartMs. */
type SeedDay = (subjectId: string, dayStartMs: number) => Promise<number>;

/** What a store has to say about seeding. */
export interface SeedOptions {
  /** Absent: days start at zero. */
  seedDay?: SeedDay;
  onSeedFailed?: (subjectId: string, error: unknown) => void;
}
