import { Logger } from '@nestjs/common';
import type { Decision, Subject, Windows } from '../decision.js';
import { Callers, Counters } from './counters.js';
import type { MemoryCounters } from './memory-counters.js';

/** How long a caller is decided in memory after a failed call. */
const FALLBACK_MS = 1_000;
/** An outage is over when calls succeed and none has failed for this long. */
const OUTAGE_ENDS_AFTER_MS = 2_000;
const MAX_CALLERS = 50_000;

class Caller {
  /** When a caller in memory calls the shared counters again; 0: the last call succeeded. */
  retryAtMs = 0;
  /** The counts last seen in the shared counters; null: memory has them. */
  lastCounts: Windows | null = null;
}

/**
 * Shared counters, and those in memory for callers whose call failed. Such a caller is decided in memory for a second; then one of
 * its requests calls the shared counters again.
 *
 * Memory starts from the counts last seen in the shared counters and keeps its own across outages. Over any number of outages it
 * admits at most one limit per window. All replicas and the shared counters together admit at most (replicas + 1) limits.
 * On recovery nothing is added to the shared counters: a frozen Redis still runs the calls that it had received, and their
 * requests were decided here meanwhile, so callers would be charged twice.
 */
export class CountersWithFallback extends Counters {
  private readonly logger = new Logger('RateLimit');
  private readonly callers = new Callers(MAX_CALLERS, () => new Caller());
  private lastFailureMs = -Infinity;
  private isOutage = false;

  constructor(
    private readonly shared: Counters,
    private readonly memory: MemoryCounters,
    private readonly monotonicMs = () => performance.now(),
  ) {
    super();
  }

  /** Whether limits of some caller are decided in memory now. */
  get isOnFallback(): boolean {
    return this.monotonicMs() - this.lastFailureMs < OUTAGE_ENDS_AFTER_MS;
  }

  async decide(subject: Subject, cost: 0 | 1 = 1): Promise<Decision> {
    const caller = this.callers.of(subject.id);
    const isRetry = caller.retryAtMs > 0;
    if (isRetry) {
      const nowMs = this.monotonicMs();
      if (nowMs < caller.retryAtMs) return this.decideInMemory(subject, cost, caller);
      // The caller's other requests do not wait for the outcome of this one.
      caller.retryAtMs = nowMs + FALLBACK_MS;
    }
    try {
      const decision = await this.shared.decide(subject, cost);
      if (isRetry) caller.retryAtMs = 0;
      caller.lastCounts = decision.windows;
      if (this.isOutage) this.noteSuccess();
      return decision;
    } catch (error) {
      this.noteFailure(error);
      caller.retryAtMs = this.lastFailureMs + FALLBACK_MS;
      return this.decideInMemory(subject, cost, caller);
    }
  }

  private decideInMemory(subject: Subject, cost: 0 | 1, caller: Caller): Promise<Decision> {
    if (caller.lastCounts) this.memory.adopt(subject, caller.lastCounts);
    caller.lastCounts = null;
    return this.memory.decide(subject, cost);
  }

  private noteFailure(err: unknown): void {
    this.lastFailureMs = this.monotonicMs();
    if (!this.isOutage) this.logger.warn({ err }, 'Redis is away: limits are decided in memory');
    this.isOutage = true;
  }

  /** On a Cluster, callers of other shards succeed during the outage of one. */
  private noteSuccess(): void {
    if (this.isOnFallback) return;
    this.isOutage = false;
    this.logger.log('Redis is back: limits are shared again');
  }
}
