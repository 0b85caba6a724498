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
  /** The keys of each minute that are not written yet. */
  private readonly unwritten = new Map<number, Set<string>>();
  private isFailing = false;

  constructor(private readonly repository: ApiKeysRepository) {}

  /** How many keys wait to be written. */
  get size(): number {
    return [...this.unwritten.values()].reduce((sum, keys) => sum + keys.size, 0);
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
    let keys = this.unwritten.get(minuteMs);
    if (!keys) this.unwritten.set(minuteMs, (keys = new Set()));
    // Full only while the database is away or behind; the next request of the key tries again.
    if (keys.size >= MAX_KEYS) return;
    keys.add(keyId);
    this.noted.set(keyId, true);
  }

  async write(): Promise<void> {
    for (const [minuteMs, keys] of this.unwritten) {
      const ids = [...keys];
      try {
        for (let start = 0; start < ids.length; start += KEYS_PER_STATEMENT) {
          const batch = ids.slice(start, start + KEYS_PER_STATEMENT);
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

  /** While the database is away only the newest minute is kept, because it overwrites the older ones. */
  private keepNewest(): void {
    const newest = Math.max(...this.unwritten.keys());
    for (const minuteMs of this.unwritten.keys()) if (minuteMs !== newest) this.unwritten.delete(minuteMs);
  }
}
