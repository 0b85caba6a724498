import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks, type PeriodicTask } from '../../platform/common/background-tasks.js';
import { Clock, DAY_MS, utcDay } from '../../platform/common/time.js';
import { RefusedKeys } from './refused-keys.js';
import type { UsageDayDto } from './dto/usage.dto.js';
import { UsageRepository, type UsageCounts, type UsageDelta } from './usage.repository.js';

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
  /** A write replaces this map. */
  private pending = new Map<string, UsageDelta>();
  /** The counts that the current write takes to the database. */
  private writing: ReadonlyMap<string, UsageDelta> = new Map();
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
    return this.pending.size;
  }

  // The server is closed by now, so the last request is counted. The database module is global and closes last.
  onApplicationShutdown(): Promise<void> {
    return this.write();
  }

  record(keyId: string, nowMs: number, wasAdmitted: boolean): void {
    if (!wasAdmitted) this.refused.note(keyId, nowMs);
    this.add({
      keyId,
      day: utcDay(nowMs),
      admitted: wasAdmitted ? 1 : 0,
      refused: wasAdmitted ? 0 : 1,
      lastUsedAtMs: nowMs,
    });
  }

  /** How many requests were admitted on that UTC day. */
  async admittedOn(keyId: string, day: string): Promise<number> {
    const [counts] = await this.countsOf(keyId, [day]);
    return Number(counts?.admitted ?? 0);
  }

  /** Exactly `days` days, oldest first, today last, zeros included. */
  lastDays(keyId: string, days: number): Promise<UsageDayDto[]> {
    const nowMs = this.clock.nowMs();
    return this.countsOf(
      keyId,
      Array.from({ length: days }, (_, index) => utcDay(nowMs - (days - 1 - index) * DAY_MS)),
    );
  }

  /** Writes the pending counts, one write at a time. Counts that cannot be written wait for the next write. */
  write(): Promise<void> {
    return this.writes.run();
  }

  /** The counts of these UTC days. No write of this replica changes them during the read, so that each count is in the result once. */
  private async countsOf(keyId: string, dates: string[]): Promise<UsageDayDto[]> {
    const areWritten = () => dates.some((date) => this.writing.has(nameOf(keyId, date)));
    for (;;) {
      const wereWritten = areWritten();
      const { pending } = this;
      const written = await this.repository.since(keyId, dates[0] ?? '');
      if (!wereWritten && pending === this.pending)
        return dates.map((date) => this.sum(keyId, date, written));
      if (areWritten()) await this.writes.running;
    }
  }

  private sum(keyId: string, date: string, written: UsageCounts[]): UsageDayDto {
    const row = written.find(({ day }) => day === date);
    const pending = this.pending.get(nameOf(keyId, date));
    return {
      date,
      admitted: (row?.admitted ?? 0n) + BigInt(pending?.admitted ?? 0),
      refused: (row?.refused ?? 0n) + BigInt(pending?.refused ?? 0),
    };
  }

  private async writePending(): Promise<void> {
    const deltas = [...this.pending.values()];
    this.writing = this.pending;
    this.pending = new Map();
    let written = 0;
    try {
      for (; written < deltas.length; written += ROWS_PER_STATEMENT) {
        await this.repository.add(deltas.slice(written, written + ROWS_PER_STATEMENT));
        this.isFull = false;
      }
    } catch (error) {
      // The other batches would wait for the same database, and a stop of the service for all of them.
      for (const delta of deltas.slice(written)) this.add(delta);
      throw error;
    } finally {
      this.writing = new Map();
    }
  }

  /** Adds to the pending counts. Counts of a further key and day are lost when MAX_PENDING are waiting. */
  private add(delta: UsageDelta): void {
    const name = nameOf(delta.keyId, delta.day);
    const pending = this.pending.get(name);
    if (pending) {
      pending.admitted += delta.admitted;
      pending.refused += delta.refused;
      pending.lastUsedAtMs = Math.max(pending.lastUsedAtMs, delta.lastUsedAtMs);
    } else if (this.pending.size < MAX_PENDING) {
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
