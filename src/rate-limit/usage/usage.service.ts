import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks, type PeriodicTask } from '../../platform/common/background-tasks.js';
import { Clock, DAY_MS, utcDay } from '../../platform/common/time.js';
import { RefusedKeys } from './refused-keys.js';
import {
  UsageRepository,
  type UsageBatch,
  type UsageCounts,
  type UsageDelta,
  type WrittenUsage,
} from './usage.repository.js';

/** At most 10 seconds of counts are lost when the process is killed. */
const WRITE_EVERY_MS = 5_000;
const ROWS_PER_STATEMENT = 1_000;
/** Keys and days that may wait for a write: about 50 MB, reached only while the database is away. */
const MAX_PENDING = 200_000;

/**
 * The usage of keys, day by day. It adds up what this replica admits and refuses, and writes it in batches, never with a
 * request. Reports have the written counts of all replicas, and those that wait in this one.
 */
@Injectable()
export class UsageService implements OnApplicationShutdown {
  private readonly logger = new Logger('Usage');
  /** The counts that no batch has yet. */
  private readonly pending = new Map<string, UsageDelta>();
  /** Is being written, or will be written again as it is, because the outcome of its write is unknown. */
  private batch: UsageBatch | undefined;
  private batches = 0;
  private readonly writes: PeriodicTask;
  private isFull = false;

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: UsageRepository,
    private readonly clock: Clock,
    private readonly refused: RefusedKeys,
  ) {
    this.writes = tasks.every(WRITE_EVERY_MS, 'usage cannot be written; it is kept and tried again', () =>
      this.writePending(),
    );
  }

  /** How many keys and days wait for a write. */
  get size(): number {
    return this.pending.size + (this.batch?.deltas.length ?? 0);
  }

  // The server is closed by now, so the last request is counted. The database module is global and closes last.
  onApplicationShutdown(): Promise<void> {
    return this.write();
  }

  record(keyId: string, nowMs: number, wasAdmitted: boolean, isDeprecated = false): void {
    if (!wasAdmitted) this.refused.note(keyId, nowMs);
    this.add({
      keyId,
      day: utcDay(nowMs),
      admitted: wasAdmitted ? 1 : 0,
      refused: wasAdmitted ? 0 : 1,
      deprecated: wasAdmitted && isDeprecated ? 1 : 0,
      lastUsedAtMs: nowMs,
    });
  }

  /** How many requests were admitted on that UTC day. */
  async admittedOn(keyId: string, day: string): Promise<number> {
    const [counts] = await this.countsOf(keyId, [day]);
    return Number(counts?.admitted ?? 0);
  }

  /** Exactly `days` days, oldest first, today last, zeros included. */
  lastDays(keyId: string, days: number): Promise<UsageCounts[]> {
    const nowMs = this.clock.nowMs();
    return this.countsOf(
      keyId,
      Array.from({ length: days }, (_, index) => utcDay(nowMs - (days - 1 - index) * DAY_MS)),
    );
  }

  /** Writes the pending counts, one write at a time. What cannot be written waits for the next write. */
  write(): Promise<void> {
    return this.writes.run();
  }

  /** The counts of these UTC days: those that are written, and those of this replica that are not, each once. */
  private async countsOf(keyId: string, days: string[]): Promise<UsageCounts[]> {
    for (;;) {
      const { batch, batches } = this;
      const written = await this.repository.since(keyId, days[0] ?? '');
      // Otherwise counts may have moved from here to the database during the read.
      if (batch === this.batch && batches === this.batches)
        return days.map((day) => this.sum(keyId, day, written));
    }
  }

  private sum(keyId: string, day: string, written: WrittenUsage): UsageCounts {
    const { batch } = this;
    const isOfDay = (delta: UsageDelta) => delta.day === day && delta.keyId === keyId;
    const all = [
      written.counts.find((counts) => counts.day === day),
      batch && batch.number > written.batch ? batch.deltas.find(isOfDay) : undefined,
      this.pending.get(nameOf(keyId, day)),
    ];
    const total = (of: 'admitted' | 'refused' | 'deprecated') =>
      all.reduce((sum, counts) => sum + BigInt(counts?.[of] ?? 0), 0n);
    return {
      day,
      admitted: total('admitted'),
      refused: total('refused'),
      deprecated: total('deprecated'),
    };
  }

  private async writePending(): Promise<void> {
    // Not until none are pending: requests may go on without end.
    for (let left = this.size; left > 0;) {
      this.batch ??= this.takeBatch();
      await this.repository.add(this.batch);
      left -= this.batch.deltas.length;
      this.batch = undefined;
      this.isFull = false;
    }
  }

  private takeBatch(): UsageBatch {
    const deltas: UsageDelta[] = [];
    for (const [name, delta] of this.pending) {
      if (deltas.length === ROWS_PER_STATEMENT) break;
      deltas.push(delta);
      this.pending.delete(name);
    }
    this.batches += 1;
    return { number: this.batches, deltas };
  }

  /** Adds to the pending counts. Counts of a further key and day are lost when MAX_PENDING are waiting. */
  private add(delta: UsageDelta): void {
    const name = nameOf(delta.keyId, delta.day);
    const pending = this.pending.get(name);
    if (pending) {
      pending.admitted += delta.admitted;
      pending.refused += delta.refused;
      pending.deprecated += delta.deprecated;
      pending.lastUsedAtMs = Math.max(pending.lastUsedAtMs, delta.lastUsedAtMs);
    } else if (this.size < MAX_PENDING) {
      this.pending.set(name, delta);
    } else {
      if (!this.isFull) this.logger.error('usage of further keys is lost until usage can be written again');
      this.isFull = true;
    }
  }
}

function nameOf(keyId: string, day: string): string {
  return `${day} ${keyId}`;
}
