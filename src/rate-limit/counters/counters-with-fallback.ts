import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { RecentMap } from '../../platform/common/recent-map.js';
import type { Decision, Subject, WindowState } from '../decision.js';
import { Counters } from './counters.js';
import type { MemoryCounters } from './memory-counters.js';

const PROBE_EVERY_MS = 200;
const MAX_LAST_COUNTS = 50_000;

export interface SharedCounters extends Counters {
  /** The part of the shared counters that holds this subject's; a part fails by itself. */
  shardOf(subject: Subject): string;
  /** Rejects unless decisions can be taken for this subject. Charges no caller. */
  probe(subject: Subject): Promise<void>;
}

/** What is known of one shard. */
interface Shard {
  name: string;
  /** A call failed, and probes find out whether that is an outage, and when it ends. */
  isProbed: boolean;
  /** Decisions are taken in memory. */
  isAway: boolean;
  /** Requests that were decided in memory since the first failure. */
  decisions: number;
}

/**
 * Shared counters, and those in memory while the shared ones are away. A call that fails or whose reply is late is decided in
 * memory by itself, because the shard may only be short of processor time. The outage begins when a probe fails too, so that no
 * further request waits; one probe at a time then finds out whether the shard is back.
 *
 * Memory starts from the counts last seen in the shared counters and keeps its own across outages. Over any
 * number of outages it admits at most one limit per window. All replicas and the shared counters together admit at most
 * (replicas + 1) limits.
 * On recovery nothing is added to the shared counters: a frozen Redis still runs the calls that it had received, and
 * their requests were decided here meanwhile, so callers would be charged twice.
 */
export class CountersWithFallback extends Counters {
  private readonly logger = new Logger('RateLimit');
  private readonly shards = new Map<string, Shard>();
  /** The counts last seen in the shared counters. */
  private readonly lastCounts = new RecentMap<string, readonly WindowState[]>(MAX_LAST_COUNTS);

  constructor(
    private readonly shared: SharedCounters,
    private readonly memory: MemoryCounters,
  ) {
    super();
  }

  /** Whether decisions of any shard are taken in memory now. */
  get isOnFallback(): boolean {
    return [...this.shards.values()].some(({ isAway }) => isAway);
  }

  async decide(subject: Subject, cost: 0 | 1 = 1): Promise<Decision> {
    const shard = this.shardOf(subject);
    if (!shard.isAway) {
      try {
        const decision = await this.shared.decide(subject, cost);
        this.lastCounts.set(subject.id, decision.windows);
        return decision;
      } catch (error) {
        void this.probe(shard, subject, error);
      }
    }
    shard.decisions += 1;
    const lastCounts = this.lastCounts.get(subject.id);
    if (lastCounts) {
      this.lastCounts.delete(subject.id);
      this.memory.adopt(subject, lastCounts);
    }
    return this.memory.decide(subject, cost);
  }

  private shardOf(subject: Subject): Shard {
    const name = this.shared.shardOf(subject);
    const shard = this.shards.get(name) ?? { name, isProbed: false, isAway: false, decisions: 0 };
    this.shards.set(name, shard);
    return shard;
  }

  /** Probes after a failed call, until a probe succeeds. */
  private async probe(shard: Shard, subject: Subject, err: unknown): Promise<void> {
    if (shard.isProbed) return;
    shard.isProbed = true;
    const sinceMs = performance.now();
    // Only a Cluster has nodes to tell apart.
    const node = shard.name === '' ? {} : { node: shard.name };
    const isBack = () =>
      this.shared.probe(subject).then(
        () => true,
        () => false,
      );
    while (!(await isBack())) {
      if (!shard.isAway) this.logger.warn({ err, ...node }, 'Redis is away: limits are decided in memory');
      shard.isAway = true;
      // The timer does not keep the process running.
      await pause(PROBE_EVERY_MS, undefined, { ref: false });
    }
    if (shard.isAway) {
      const durationMs = Math.round(performance.now() - sinceMs);
      const { decisions } = shard;
      this.logger.log({ durationMs, decisions, ...node }, 'Redis is back: limits are shared again');
    } else this.logger.debug({ err, ...node }, 'Redis answers, but a request was decided in memory');
    shard.isProbed = false;
    shard.isAway = false;
    shard.decisions = 0;
  }
}
