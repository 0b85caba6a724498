import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Repeated } from '../common/repeated.js';
import { utcDay } from './utc-day.js';
import { UsageRepository, type UsageDelta } from './usage.repository.js';

/** At most 10 seconds of counting are lost when the process is killed. */
const WRITE_EVERY_MS = 5_000;
const ROWS_A_STATEMENT = 1_000;

/** Adds up what this replica admits and refuses, and writes it in batches: never a write per request. */
@Injectable()
export class UsageRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Usage');
  private pending = new Map<string, UsageDelta>();
  private writing: Promise<void> = Promise.resolve();
  private readonly rounds = new Repeated(WRITE_EVERY_MS, () => this.write());
  private writesUnderWay = 0;
  private isFailing = false;

  constructor(private readonly repository: UsageRepository) {}

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  // After the server has closed, so that the last request is in it; before the database closes, whose module is global
  // and therefore let go last.
  async onApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
    await this.write();
  }

  record(keyId: string, nowMs: number, wasAdmitted: boolean): void {
    const day = utcDay(nowMs);
    const name = `${day} ${keyId}`;
    let delta = this.pending.get(name);
    if (!delta) this.pending.set(name, (delta = { keyId, day, admitted: 0, refused: 0 }));
    if (wasAdmitted) delta.admitted += 1;
    else delta.refused += 1;
  }

  /** What this replica has counted and not yet written; while a write is under way, without what that one takes. */
  pendingOn(keyId: string, day: string): Readonly<UsageDelta> | undefined {
    return this.pending.get(`${day} ${keyId}`);
  }

  /** Runs a read that no write of this replica overlaps, so that nothing is missing from it or in it twice. */
  async betweenWrites<Result>(read: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const last = this.writing;
      const wasWriting = this.writesUnderWay > 0;
      const result = await read();
      if (!wasWriting && last === this.writing) return result;
      await this.writing;
    }
  }

  /** Writes what has come together; what cannot be written is kept for the next time. One write at a time. */
  write(): Promise<void> {
    this.writesUnderWay += 1;
    this.writing = this.writing
      .then(() => this.writePending())
      .finally(() => {
        this.writesUnderWay -= 1;
      });
    return this.writing;
  }

  private async writePending(): Promise<void> {
    const deltas = [...this.pending.values()];
    this.pending = new Map();
    for (let start = 0; start < deltas.length; start += ROWS_A_STATEMENT) {
      const batch = deltas.slice(start, start + ROWS_A_STATEMENT);
      try {
        await this.repository.add(batch);
        this.isFailing = false;
      } catch (error) {
        batch.forEach((delta) => this.putBack(delta));
        if (!this.isFailing)
          this.logger.warn({ err: error }, 'usage cannot be written; it is kept and tried again');
        this.isFailing = true;
      }
    }
  }

  private putBack({ keyId, day, admitted, refused }: UsageDelta): void {
    const name = `${day} ${keyId}`;
    const since = this.pending.get(name);
    this.pending.set(name, {
      keyId,
      day,
      admitted: admitted + (since?.admitted ?? 0),
      refused: refused + (since?.refused ?? 0),
    });
  }
}
