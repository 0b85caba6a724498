import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Repeated } from '../common/repeated.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const MINUTE_MS = 60_000;
const WRITE_EVERY_MS = 5_000;
const KEYS_A_STATEMENT = 1_000;

/** When each key was last used, to the minute: written in batches, once a minute and key, never with a request. */
@Injectable()
export class LastUse implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('LastUse');
  private readonly rounds = new Repeated(WRITE_EVERY_MS, () => this.write());
  private minuteMs = 0;
  /** The keys used in this minute. */
  private noted = new Set<string>();
  /** Of each minute, the keys that are still to be written. */
  private readonly unwritten = new Map<number, Set<string>>();
  private isFailing = false;

  constructor(private readonly repository: ApiKeysRepository) {}

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  // After the server has closed, and before the database does.
  async onApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
    await this.write();
  }

  note(keyId: string, nowMs: number): void {
    const minuteMs = nowMs - (nowMs % MINUTE_MS);
    if (minuteMs !== this.minuteMs) {
      this.minuteMs = minuteMs;
      this.noted = new Set();
    }
    if (this.noted.has(keyId)) return;
    this.noted.add(keyId);
    const keys = this.unwritten.get(minuteMs);
    if (keys) keys.add(keyId);
    else this.unwritten.set(minuteMs, new Set([keyId]));
  }

  private async write(): Promise<void> {
    for (const [minuteMs, keys] of this.unwritten) {
      const ids = [...keys];
      try {
        for (let start = 0; start < ids.length; start += KEYS_A_STATEMENT) {
          const batch = ids.slice(start, start + KEYS_A_STATEMENT);
          await this.repository.recordUse(batch, new Date(minuteMs));
          for (const id of batch) keys.delete(id);
        }
        if (keys.size === 0) this.unwritten.delete(minuteMs);
        this.isFailing = false;
      } catch (error) {
        if (!this.isFailing) this.logger.warn({ err: error }, 'the last use of keys cannot be written now');
        this.isFailing = true;
        this.keepNewest();
        return;
      }
    }
  }

  /** While the database is away only the newest minute is kept: the older ones would be overwritten by it. */
  private keepNewest(): void {
    const newest = Math.max(...this.unwritten.keys());
    for (const minuteMs of this.unwritten.keys()) if (minuteMs !== newest) this.unwritten.delete(minuteMs);
  }
}
