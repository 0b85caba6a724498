import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { utcDay } from './utc-day.js';
import { UsageRepository, type UsageDelta } from './usage.repository.js';

/** At most 10 seconds of counting are lost when the process is killed. */
const WRITE_EVERY_MS = 5_000;
const ROWS_A_STATEMENT = 1_000;

/** Adds up what this replica admits and refuses, and writes it in batches: never a write per request. */
@Injectable()
export class UsageRecorder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Usage');
  private pending = new Map<string, UsageDelta>();
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private isFailing = false;

  constructor(private readonly repository: UsageRepository) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  // After the server has closed, so that the last request is in it; before the database closes.
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
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

  /** What this replica has admitted and not yet written. */
  pendingAdmitted(keyId: string, day: string): number {
    return this.pending.get(`${day} ${keyId}`)?.admitted ?? 0;
  }

  /** Writes what has come together; what cannot be written is kept for the next time. One write at a time. */
  write(): Promise<void> {
    this.writing = this.writing.then(() => this.writePending());
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
