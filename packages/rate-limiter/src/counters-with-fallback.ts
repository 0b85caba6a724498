import { boundedMap } from './bounded-map.js';
import { Counters } from './counters.js';
import type { Decided, Subject, WindowState } from './decision.js';
import type { Logger } from './logger.js';
import type { MemoryCounters } from './memory-counters.js';

/** How long a caller is decided in memory after a failed call. */
const FALLBACK_MS = 1_000;
/** An outage is over when calls succeed and none has failed for this long. */
const OUTAGE_ENDS_AFTER_MS = 2_000;
const MAX_SUBJECTS = 50_000;
/** How Redis says that it knows no such user, or that the user lacks a right. */
const REFUSAL = /NOAUTH|WRONGPASS|NOPERM|ACL failure|can't run this command/;

/**
 * Shared counters, and those in memory for subjects whose call failed. Such a subject is decided in memory for a second; then one of
 * its requests calls the shared counters again.
 *
 * Memory starts from the counts last seen in the shared counters and keeps its own across outages. Over any number of outages it
 * admits at most one limit per window. All replicas and the shared counters together admit at most (replicas + 1) limits.
 * On recovery nothing is added to the shared counters: a frozen Redis still runs the calls that it had received, and their
 * requests were decided here meanwhile, so subjects would be charged twice.
 */
export class CountersWithFallback extends Counters {
  /** When a caller in memory calls the shared counters again. */
  private readonly retryAtMs = boundedMap<number>(MAX_SUBJECTS);
  /** The counts last seen in the shared counters. */
  private readonly lastCounts = boundedMap<readonly WindowState[]>(MAX_SUBJECTS);
  private outage: { sinceMs: number; decisions: number } | null = null;
  private lastFailureMs = -Infinity;

  constructor(
    private readonly shared: Counters,
    private readonly memory: MemoryCounters,
    private readonly logger: Logger,
    private readonly monotonicMs: () => number,
  ) {
    super();
  }

  /** Whether limits of some caller are decided in memory now. */
  get isOnFallback(): boolean {
    return this.monotonicMs() - this.lastFailureMs < OUTAGE_ENDS_AFTER_MS;
  }

  decide(subject: Subject, cost: 0 | 1 = 1): Decided {
    const { id } = subject;
    const retryAtMs = this.retryAtMs.get(id);
    if (retryAtMs !== undefined && this.monotonicMs() < retryAtMs) return this.decideInMemory(subject, cost);
    const decided = this.shared.decide(subject, cost);
    if (!(decided instanceof Promise)) {
      // Without a call, which says nothing about Redis.
      this.lastCounts.set(id, decided.windows);
      return decided;
    }
    // The subject's other requests do not wait for the outcome of this one.
    if (retryAtMs !== undefined) this.retryAtMs.set(id, this.monotonicMs() + FALLBACK_MS);
    return decided.then(
      (decision) => {
        if (retryAtMs !== undefined) this.retryAtMs.delete(id);
        if (this.outage) this.endOutage(this.outage);
        this.lastCounts.set(id, decision.windows);
        return decision;
      },
      (error: unknown) => {
        this.retryAtMs.set(id, this.monotonicMs() + FALLBACK_MS);
        this.noteFailure(error);
        return this.decideInMemory(subject, cost);
      },
    );
  }

  override close(): Promise<void> {
    return this.shared.close();
  }

  private decideInMemory(subject: Subject, cost: 0 | 1): Decided {
    if (this.outage) this.outage.decisions += 1;
    const lastCounts = this.lastCounts.get(subject.id);
    if (lastCounts) {
      this.lastCounts.delete(subject.id);
      this.memory.adopt(subject, lastCounts);
    }
    return this.memory.decide(subject, cost);
  }

  private noteFailure(err: unknown): void {
    this.lastFailureMs = this.monotonicMs();
    if (this.outage) return;
    this.outage = { sinceMs: this.lastFailureMs, decisions: 0 };
    this.logger.warn({ err }, `${outageOf(err)}: limits are decided in memory`);
  }

  /** On a Cluster, callers of other shards succeed during the outage of one. */
  private endOutage({ sinceMs, decisions }: { sinceMs: number; decisions: number }): void {
    if (this.isOnFallback) return;
    this.outage = null;
    const durationMs = Math.round(this.lastFailureMs - sinceMs);
    this.logger.info({ durationMs, decisions }, 'Redis is back: limits are shared again');
  }
}

function outageOf(error: unknown): string {
  const isRefusal = error instanceof Error && REFUSAL.test(error.message);
  return isRefusal
    ? 'Redis refuses the user of its URL, whose password is wrong or who lacks a right'
    : 'Redis is away';
}
