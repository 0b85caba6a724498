import { setTimeout as pause } from 'node:timers/promises';
import { RecentMap } from '../../common/recent-map.js';
import type { Decision, Subject, WindowState } from '../decision.js';
import type { Counters, DailyCountOptions } from './counters.js';
import { MemoryCounters } from './memory-counters.js';

const PROBE_EVERY_MS = 200;
const MAX_LAST_COUNTS = 50_000;

/** No reply in time: the shared counters are away, or the machine is busy. */
export class LateReplyError extends Error {}

export interface SharedCounters extends Counters {
  /** The part of the shared counters that holds this subject's; a part fails by itself. */
  shardOf(subjectId: string): string;
  /** Rejects unless decisions can be taken for this subject. Charges no caller. */
  probe(subjectId: string): Promise<void>;
}

export interface FallbackOptions extends DailyCountOptions {
  clock: { nowMs(): number };
  /** Called once per outage of a shard. */
  onOutage: (error: unknown, shard: string) => void;
  /** Called once per outage, with its duration and the number of requests that were decided in memory. */
  onRecovery: (outage: { durationMs: number; decisions: number }, shard: string) => void;
}

interface Outage {
  sinceMs: number;
  decisions: number;
}

/** What is known of one shard. */
interface Shard {
  name: string;
  outage: Outage | undefined;
  /** A reply was late, and a probe is under way to find out whether that is an outage. */
  isChecking: boolean;
}

/**
 * Shared counters, and those in memory while the shared ones are away. The first failing call switches its shard to memory
 * at once, so no further request waits; one probe at a time then finds out whether the shard is back. A call whose reply is
 * late is decided in memory by itself: its shard may only be short of processor time, so the outage begins when a probe fails too.
 *
 * Memory starts from the counts last seen in the shared counters and keeps its own across outages. Over any
 * number of outages it admits at most one limit per window. All replicas and the shared counters together admit at most
 * (replicas + 1) limits.
 * On recovery nothing is added to the shared counters: a frozen Redis still runs the calls that it had received, and
 * their requests were decided here meanwhile, so callers would be charged twice.
 */
export class CountersWithFallback implements Counters {
  private readonly shards = new Map<string, Shard>();
  private readonly memory: MemoryCounters;
  /** The counts last seen in the shared counters. */
  private readonly lastCounts = new RecentMap<string, readonly WindowState[]>(MAX_LAST_COUNTS);

  constructor(
    private readonly shared: SharedCounters,
    private readonly options: FallbackOptions,
  ) {
    this.memory = new MemoryCounters({ ...options, isFallback: true });
  }

  /** Whether decisions of any shard are taken in memory now. */
  get isOnFallback(): boolean {
    return [...this.shards.values()].some(({ outage }) => outage !== undefined);
  }

  decide(subject: Subject): Promise<Decision> {
    return this.run(subject, 'decide');
  }

  peek(subject: Subject): Promise<Decision> {
    return this.run(subject, 'peek');
  }

  private async run(subject: Subject, method: 'decide' | 'peek'): Promise<Decision> {
    const shard = this.shardOf(subject.id);
    if (!shard.outage) {
      try {
        const decision = await this.shared[method](subject);
        this.lastCounts.set(subject.id, decision.windows);
        return decision;
      } catch (error) {
        if (error instanceof LateReplyError) void this.checkShard(shard, error, subject.id);
        else this.beginOutage(shard, error, subject.id);
      }
    }
    if (shard.outage) shard.outage.decisions += 1;
    const lastCounts = this.lastCounts.get(subject.id);
    if (lastCounts) {
      this.lastCounts.delete(subject.id);
      this.memory.adopt(subject, lastCounts);
    }
    return this.memory[method](subject);
  }

  private shardOf(subjectId: string): Shard {
    const name = this.shared.shardOf(subjectId);
    let shard = this.shards.get(name);
    if (!shard) {
      shard = { name, outage: undefined, isChecking: false };
      this.shards.set(name, shard);
    }
    return shard;
  }

  /** Begins an outage when a probe fails too. Requests meanwhile wait for replies of their own. */
  private async checkShard(shard: Shard, error: LateReplyError, subjectId: string): Promise<void> {
    if (shard.isChecking || shard.outage) return;
    shard.isChecking = true;
    await this.shared.probe(subjectId).catch(() => this.beginOutage(shard, error, subjectId));
    shard.isChecking = false;
  }

  private beginOutage(shard: Shard, error: unknown, subjectId: string): void {
    // Calls that were under way together fail together.
    if (shard.outage) return;
    shard.outage = { sinceMs: performance.now(), decisions: 0 };
    this.options.onOutage(error, shard.name);
    void this.endOutage(shard, shard.outage, subjectId);
  }

  /** Ends an outage as soon as a probe succeeds. */
  private async endOutage(shard: Shard, outage: Outage, subjectId: string): Promise<void> {
    const probe = () =>
      this.shared.probe(subjectId).then(
        () => true,
        () => false,
      );
    // The timer does not keep the process running.
    do await pause(PROBE_EVERY_MS, undefined, { ref: false });
    while (!(await probe()));
    shard.outage = undefined;
    const durationMs = Math.round(performance.now() - outage.sinceMs);
    this.options.onRecovery({ durationMs, decisions: outage.decisions }, shard.name);
  }
}
