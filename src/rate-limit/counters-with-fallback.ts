import type { Counters, SeedOptions } from './counters.js';
import type { Decision, Subject } from './decision.js';
import { LastSeen } from './last-seen.js';
import { MemoryCounters } from './memory-counters.js';

const FIRST_PROBE_MS = 50;
const LONGEST_PROBE_MS = 1_000;
/** An outage this soon after the last recovery is the same trouble: probe with more patience, not less. */
const CALM_MS = 5_000;
const MAX_LAST_SEEN = 50_000;

export interface SharedCounters extends Counters {
  /** Rejects unless decisions can be taken where this subject's are. Charges nobody. */
  probe(subjectId: string): Promise<void>;
}

export interface FallbackOptions extends SeedOptions {
  clock: { nowMs(): number };
  /** Once per outage. */
  onOutage?: (error: unknown) => void;
  /** Once per outage, with how long it lasted and how many requests were decided in memory. */
  onRecovery?: (outage: { lastedMs: number; decisions: number }) => void;
}

interface Outage {
  sinceMs: number;
  decisions: number;
}

/**
 * Shared counters first; while they are away, those in memory. The first call that fails turns everything to memory at
 * once, so no more requests wait; one probe at a time then asks whether the shared ones are back.
 *
 * Memory starts from the counts last seen in the shared ones and keeps its own across outages, so that however often
 * they come and go it admits at most one limit per window: all replicas and the shared counters together (replicas + 1).
 * On recovery nothing is added to the shared counters: a frozen Redis still runs the calls it had received, which were
 * decided here meanwhile, so adding would charge callers twice.
 */
export class CountersWithFallback implements Counters {
  private outage: Outage | undefined;
  private readonly memory: MemoryCounters;
  private readonly lastSeen = new LastSeen(MAX_LAST_SEEN);
  private probeMs = FIRST_PROBE_MS;
  private recoveredAtMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly shared: SharedCounters,
    private readonly options: FallbackOptions,
  ) {
    this.memory = new MemoryCounters({ ...options, isFallback: true });
  }

  /** For readiness and metrics: whether decisions are taken in memory now. */
  get isOnFallback(): boolean {
    return this.outage !== undefined;
  }

  decide(subject: Subject): Promise<Decision> {
    return this.ask(subject, 'decide');
  }

  peek(subject: Subject): Promise<Decision> {
    return this.ask(subject, 'peek');
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.memory.close();
    this.shared.close();
  }

  private async ask(subject: Subject, what: 'decide' | 'peek'): Promise<Decision> {
    if (!this.outage) {
      try {
        const decision = await this.shared[what](subject);
        this.lastSeen.note(subject.id, decision.windows);
        return decision;
      } catch (error) {
        this.begin(error, subject.id);
      }
    }
    if (this.outage) this.outage.decisions += 1;
    const seen = this.lastSeen.take(subject.id);
    if (seen) this.memory.adopt(subject, seen);
    return this.memory[what](subject);
  }

  private begin(error: unknown, subjectId: string): void {
    // Calls that were under way together fail together.
    if (this.outage || this.isClosed) return;
    const nowMs = performance.now();
    const isCalm = nowMs - this.recoveredAtMs > CALM_MS;
    this.probeMs = isCalm ? FIRST_PROBE_MS : Math.min(this.probeMs * 2, LONGEST_PROBE_MS);
    this.outage = { sinceMs: nowMs, decisions: 0 };
    this.options.onOutage?.(error);
    this.probeLater(this.outage, subjectId);
  }

  /** Asks where the failing subject lives: on a Cluster the other nodes may be well. */
  private probeLater(outage: Outage, subjectId: string): void {
    this.timer = setTimeout(() => void this.probe(outage, subjectId), this.probeMs).unref();
  }

  private async probe(outage: Outage, subjectId: string): Promise<void> {
    try {
      await this.shared.probe(subjectId);
    } catch {
      if (!this.isClosed) this.probeLater(outage, subjectId);
      return;
    }
    if (this.isClosed) return;
    this.outage = undefined;
    this.recoveredAtMs = performance.now();
    const lastedMs = Math.round(this.recoveredAtMs - outage.sinceMs);
    this.options.onRecovery?.({ lastedMs, decisions: outage.decisions });
  }
}
