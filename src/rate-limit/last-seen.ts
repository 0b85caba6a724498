import type { WindowState } from './decision.js';

/** The counts each subject was last seen with; the subjects seen longest ago are forgotten first. */
export class LastSeen {
  private recent = new Map<string, readonly WindowState[]>();
  private older = new Map<string, readonly WindowState[]>();

  constructor(private readonly maxSubjects: number) {}

  note(subjectId: string, windows: readonly WindowState[]): void {
    this.recent.set(subjectId, windows);
    // Two halves: when one is full the other, which nobody came back to, goes.
    if (this.recent.size < this.maxSubjects / 2) return;
    this.older = this.recent;
    this.recent = new Map();
  }

  /** Hands the counts over; a second call finds none. */
  take(subjectId: string): readonly WindowState[] | undefined {
    const windows = this.recent.get(subjectId) ?? this.older.get(subjectId);
    this.recent.delete(subjectId);
    this.older.delete(subjectId);
    return windows;
  }
}
