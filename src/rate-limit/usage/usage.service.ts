import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks, type PeriodicTask } from '../../platform/common/background-tasks.js';
import { Clock, DAY_MS, utcDay } from '../../platform/common/time.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { RefusedKeys } from './refused-keys.js';
import type { UsageDayDto } from './usage.dto.js';
import { UsageRepository, type UsageDelta } from './usage.repository.js';

/** At most 10 seconds of counts are lost when the process is killed. */
const WRITE_EVERY_MS = 5_000;
const ROWS_PER_STATEMENT = 1_000;

/**
 * The usage of keys, day by day. It adds up what this replica admits and refuses, and writes it in batches, never with a
 * request. Reports have the written counts of all replicas, and those that wait in this one.
 */
@Injectable()
export class UsageService implements OnApplicationShutdown {
  /** What waits for the next write, by day and key. A write replaces this map. */
  private pending = new Map<string, Map<string, UsageDelta>>();
  private readonly writes: PeriodicTask;

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: UsageRepository,
    private readonly clock: Clock,
    private readonly refused: RefusedKeys,
    @Inject(CONFIG) { usageRetentionDays }: Config,
  ) {
    const problem = 'usage cannot be written; it is kept and tried again';
    this.writes = tasks.every(WRITE_EVERY_MS, problem, () => this.writePending());
    tasks.deleteExpired('days of usage', (limit) =>
      repository.deleteBefore(utcDay(clock.nowMs() - usageRetentionDays * DAY_MS), limit),
    );
  }

  // The server is closed by now, so the last request is counted. The database module is global and closes last.
  onApplicationShutdown(): Promise<void> {
    return this.write();
  }

  record(keyId: string, nowMs: number, wasAdmitted: boolean): void {
    if (!wasAdmitted) this.refused.note(keyId);
    this.add(keyId, utcDay(nowMs), wasAdmitted ? 1 : 0, wasAdmitted ? 0 : 1, nowMs);
  }

  /** How many requests were admitted on that UTC day. */
  async admittedOn(keyId: string, day: string): Promise<number> {
    const [counts] = await this.countsOf(keyId, [day]);
    return Number(counts?.admitted ?? 0);
  }

  /** Exactly `days` days, oldest first, today last, zeros included. */
  lastDays(keyId: string, days: number): Promise<UsageDayDto[]> {
    const firstMs = this.clock.nowMs() - (days - 1) * DAY_MS;
    const dates = Array.from({ length: days }, (_, index) => utcDay(firstMs + index * DAY_MS));
    return this.countsOf(keyId, dates);
  }

  /** Writes the pending counts, one write at a time. Counts that cannot be written wait for the next write. */
  write(): Promise<void> {
    return this.writes.run();
  }

  /** The counts of these UTC days. No write of this replica runs during the read, so that each count is in the result once. */
  private async countsOf(keyId: string, days: string[]): Promise<UsageDayDto[]> {
    for (;;) {
      while (this.writes.running) await this.writes.running;
      const { pending } = this;
      const rows = await this.repository.since(keyId, days[0] ?? '');
      if (pending !== this.pending) continue;
      return days.map((date) => {
        const row = rows.find(({ day }) => day === date);
        const delta = pending.get(date)?.get(keyId);
        return {
          date,
          admitted: (row?.admitted ?? 0n) + BigInt(delta?.admitted ?? 0),
          refused: (row?.refused ?? 0n) + BigInt(delta?.refused ?? 0),
        };
      });
    }
  }

  private async writePending(): Promise<void> {
    const deltas = [...this.pending.values()].flatMap((ofDay) => [...ofDay.values()]);
    this.pending = new Map();
    while (deltas.length > 0) {
      const batch = deltas.splice(0, ROWS_PER_STATEMENT);
      try {
        await this.repository.add(batch);
      } catch (error) {
        // The other batches would wait for the same database, and a stop of the service for all of them.
        for (const { keyId, day, admitted, refused, lastUsedAtMs } of [...batch, ...deltas])
          this.add(keyId, day, admitted, refused, lastUsedAtMs);
        throw error;
      }
    }
  }

  private add(keyId: string, day: string, admitted: number, refused: number, lastUsedAtMs: number): void {
    let ofDay = this.pending.get(day);
    if (!ofDay) this.pending.set(day, (ofDay = new Map<string, UsageDelta>()));
    const delta = ofDay.get(keyId);
    if (!delta) {
      ofDay.set(keyId, { keyId, day, admitted, refused, lastUsedAtMs });
      return;
    }
    delta.admitted += admitted;
    delta.refused += refused;
    delta.lastUsedAtMs = Math.max(delta.lastUsedAtMs, lastUsedAtMs);
  }
}
