import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks } from '../../../platform/common/background-tasks.js';
import type { PeriodicTask } from '../../../platform/common/periodic-task.js';
import { RecentMap } from '../../../platform/common/recent-map.js';
import { MINUTE_MS } from '../../../platform/common/time.js';
import { ApiKeysRepository } from '../api-keys.repository.js';

const WRITE_EVERY_MS = 5_000;
const KEYS_PER_STATEMENT = 1_000;
const MAX_KEYS = 100_000;

/** Stores when each key was last used, to the minute: in batches, once per minute and key, never with a request. */
@Injectable()
export class LastUse implements OnApplicationShutdown {
  private readonly rounds: PeriodicTask;
  /** The minute of each key's last use, which need not be noted again. */
  private readonly noted = new RecentMap<string, number>(MAX_KEYS);
  /** Those that are not written yet. */
  private readonly unwritten = new Map<string, number>();

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: ApiKeysRepository,
  ) {
    this.rounds = tasks.every(WRITE_EVERY_MS, 'the last use of keys cannot be written now', () =>
      this.write(),
    );
  }

  // The server is closed by now, and the database is not.
  onApplicationShutdown(): Promise<void> {
    return this.rounds.run();
  }

  note(keyId: string, nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (this.noted.get(keyId) === minute) return;
    // Full only while the database is away or behind; the next request of the key tries again.
    if (this.unwritten.size >= MAX_KEYS && !this.unwritten.has(keyId)) return;
    this.unwritten.set(keyId, minute);
    this.noted.set(keyId, minute);
  }

  /** Rejects when it fails; what is not written waits for the next write. */
  async write(): Promise<void> {
    const uses = [...this.unwritten];
    for (let start = 0; start < uses.length; start += KEYS_PER_STATEMENT) {
      const batch = uses.slice(start, start + KEYS_PER_STATEMENT);
      await this.repository.recordUse(
        batch.map(([keyId, minute]) => ({ keyId, minute: new Date(minute * MINUTE_MS) })),
      );
      // A key that was used meanwhile waits for the next write.
      for (const [id, minute] of batch) if (this.unwritten.get(id) === minute) this.unwritten.delete(id);
    }
  }
}
