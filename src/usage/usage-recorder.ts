import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../common/periodic-task.js';
import { DAY_MS, windowStartMs } from '../common/time.js';
import { UsageRepository, type UsageDelta } from './usage.repository.js';

/** At most 10 seconds of counts are lost when the process is killed. */
const WRITE_EVERY_MS = 5_000;
const ROWS_PER_STATEMENT = 1_000;
/** Keys and days that may wait for a write: about 50 MB, reached only while the database is away. */
const MAX_PENDING = 200_000;

/** Adds up what this replica admits and refuses, and writes it in batches, never with a request. */
@Injectable()
export class UsageRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Usage');
  private pending = new Map<string, UsageDelta>();
  private lastWrite: Promise<void> = Promise.resolve();
  private readonly rounds = new PeriodicTask(WRITE_EVERY_MS, () => this.write());
  private writesUnderWay = 0;
  private isFailing = false;
  private isFull = false;

  constructor(private readonly repository: UsageRepository) {}

  /** How many keys and days wait for a write. */
  get size(): number {
    return this.pending.size;
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  // The server is closed by now, so the last request is counted. The database module is global and closes last.
  async onApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
    await this.write();
  }

  record(keyId: string, nowMs: number, wasAdmitted: boolean): void {
    this.add(keyId, utcDay(nowMs), wasAdmitted ? 1 : 0, wasAdmitted ? 0 : 1);
  }

  /** The counts that wait for a write, without those of a write under way. */
  pendingOn(keyId: string, day: string): Readonly<UsageDelta> | undefined {
    return this.pending.get(nameOf(keyId, day));
  }

  /** Runs a read that no write of this replica overlaps, so that each count is in the result once. */
  async betweenWrites<Result>(read: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const { lastWrite } = this;
      const wasWriting = this.writesUnderWay > 0;
      const result = await read();
      if (!wasWriting && lastWrite === this.lastWrite) return result;
      await this.lastWrite;
    }
  }

  /** Writes the pending counts, one write at a time. Counts that cannot be written wait for the next write. */
  write(): Promise<void> {
    this.writesUnderWay += 1;
    this.lastWrite = this.lastWrite
      .then(() => this.writePending())
      .finally(() => {
        this.writesUnderWay -= 1;
      });
    return this.lastWrite;
  }

  private async writePending(): Promise<void> {
    const deltas = [...this.pending.values()];
    this.pending = new Map();
    let written = 0;
    try {
      for (; written < deltas.length; written += ROWS_PER_STATEMENT) {
        await this.repository.add(deltas.slice(written, written + ROWS_PER_STATEMENT));
        this.isFailing = false;
        this.isFull = false;
      }
    } catch (error) {
      // The other batches would wait for the same database, and a stop of the service for all of them.
      for (const { keyId, day, admitted, refused } of deltas.slice(written))
        this.add(keyId, day, admitted, refused);
      if (!this.isFailing)
        this.logger.warn({ err: error }, 'usage cannot be written; it is kept and tried again');
      this.isFailing = true;
    }
  }

  /** Adds to the pending counts. Counts of a further key and day are lost when MAX_PENDING are waiting. */
  private add(keyId: string, day: string, admitted: number, refused: number): void {
    const name = nameOf(keyId, day);
    const delta = this.pending.get(name);
    if (delta) {
      delta.admitted += admitted;
      delta.refused += refused;
    } else if (this.pending.size < MAX_PENDING) {
      this.pending.set(name, { keyId, day, admitted, refused });
    } else {
      if (!this.isFull) this.logger.error('usage of further keys is lost until usage can be written again');
      this.isFull = true;
    }
  }
}

function nameOf(keyId: string, day: string): string {
  return `${day} ${keyId}`;
}

let lastStartMs = Number.NaN;
let lastDay = '';

/** The UTC day of a moment, for example 2026-11-21. The last result is kept, because every request needs it. */
export function utcDay(atMs: number): string {
  const startMs = windowStartMs(DAY_MS, atMs);
  if (startMs !== lastStartMs) {
    lastStartMs = startMs;
    lastDay = new Date(startMs).toISOString().slice(0, 10);
  }
  return lastDay;
}
