import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PeriodicTask } from '../../../common/periodic-task.js';
import { RecentMap } from '../../../common/recent-map.js';
import { MINUTE_MS } from '../../../common/time.js';
import { ApiKeysRepository } from '../api-keys.repository.js';

const WRITE_EVERY_MS = 5_000;
const KEYS_PER_STATEMENT = 1_000;
const MAX_KEYS = 100_000;

/** Stores when each key was last used, to the minute: in batches, once per minute and key, never with a request. */
@Injectable()
export class LastUse implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('LastUse');
  private readonly rounds = new PeriodicTask(WRITE_EVERY_MS, () => this.write());
  private minuteMs = 0;
  /** The keys that were used in this minute and need not be noted again. */
  private noted = new RecentMap<string, true>(MAX_KEYS);
  /** The minute of each key that is not written yet. */
  private readonly unwritten = new Map<string, number>();
  private isFailing = false;

  constructor(private readonly repository: ApiKeysRepository) {}

  /** How many keys wait to be written. */
  get size(): number {
    return this.unwritten.size;
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  // The server is closed by now, and the database is not.
  async onApplicationShutdown(): Promise<void> {
    await this.rounds.stop();
    await this.write();
  }

  note(keyId: string, nowMs: number): void {
    const minuteMs = nowMs - (nowMs % MINUTE_MS);
    if (minuteMs !== this.minuteMs) {
      this.minuteMs = minuteMs;
      this.noted = new RecentMap(MAX_KEYS);
    }
    if (this.noted.get(keyId)) return;
    // Full only while the database is away or behind; the next request of the key tries again.
    if (this.unwritten.size >= MAX_KEYS && !this.unwritten.has(keyId)) return;
    this.unwritten.set(keyId, minuteMs);
    this.noted.set(keyId, true);
  }

  async write(): Promise<void> {
    try {
      for (const [minuteMs, entries] of Map.groupBy(this.unwritten, ([, keyMinuteMs]) => keyMinuteMs)) {
        for (let start = 0; start < entries.length; start += KEYS_PER_STATEMENT) {
          const ids = entries.slice(start, start + KEYS_PER_STATEMENT).map(([id]) => id);
          await this.repository.recordUse(ids, new Date(minuteMs));
          // A key that was used meanwhile waits for the next write.
          for (const id of ids) if (this.unwritten.get(id) === minuteMs) this.unwritten.delete(id);
        }
      }
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn({ err: error }, 'the last use of keys cannot be written now');
      this.isFailing = true;
    }
  }
}
