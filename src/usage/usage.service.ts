import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { DAY_MS } from '../common/time.js';
import type { UsageDayDto } from './dto/usage.dto.js';
import { UsageRecorder, utcDay } from './usage-recorder.js';
import { UsageRepository, type UsageCounts } from './usage.repository.js';

/** The usage of a key, day by day. */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly recorder: UsageRecorder,
    private readonly clock: Clock,
  ) {}

  /** How many requests were admitted on that UTC day: the written counts, and those that wait in this replica. */
  admittedOn(keyId: string, day: string): Promise<number> {
    return this.recorder.betweenWrites(async () => {
      const written = await this.repository.admittedOn(keyId, day);
      return written + (this.recorder.pendingOn(keyId, day)?.admitted ?? 0);
    });
  }

  /**
   * Exactly `days` days, oldest first, today last, zeros included: the written counts, and those that wait in this
   * replica.
   */
  lastDays(keyId: string, days: number): Promise<UsageDayDto[]> {
    const nowMs = this.clock.nowMs();
    const dates = Array.from({ length: days }, (_, index) => utcDay(nowMs - (days - 1 - index) * DAY_MS));
    return this.recorder.betweenWrites(async () => {
      const written = await this.repository.since(keyId, dates[0] ?? '');
      const countsOf = new Map(written.map((row) => [row.day, row]));
      return dates.map((date) => ({
        date,
        ...sum(countsOf.get(date), this.recorder.pendingOn(keyId, date)),
      }));
    });
  }
}

function sum(written: UsageCounts | undefined, pending: { admitted: number; refused: number } | undefined) {
  return {
    admitted: (written?.admitted ?? 0n) + BigInt(pending?.admitted ?? 0),
    refused: (written?.refused ?? 0n) + BigInt(pending?.refused ?? 0),
  };
}
