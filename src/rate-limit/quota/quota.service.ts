import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { Repository } from 'typeorm';
import { BackgroundTasks, type PeriodicTask } from '../../platform/common/background-tasks.js';
import { Clock, DAY_MS, utcDay } from '../../platform/common/time.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { Database, type Statement } from '../../platform/database/database.js';
import type { WindowState } from 'exact-rate-limiter';
import { QuotaMarkEntity } from './quota-mark.entity.js';

/** The shares of a day's limit that are noted, in percent. */
const SHARES = [80, 100] as const;
/** An event of a reached share shows within 10 s. */
const WRITE_EVERY_MS = 5_000;
/** Further shares are noted when the next request of their keys comes. */
const MAX_PENDING = 10_000;
const MAX_NOTED = 50_000;
const ROWS_PER_STATEMENT = 1_000;

const DELETE_BEFORE: Statement = {
  name: 'delete-quota-marks',
  text: `delete from quota_marks where (key_id, day, percent) in (
      select key_id, day, percent from quota_marks where day < $1 order by day limit $2
    ) returning 1`,
};

/** Notes once a day and key, over all replicas, that a key has used 80 or 100 % of its day. */
@Injectable()
export class QuotaService implements OnApplicationShutdown {
  private pending: QuotaMarkEntity[] = [];
  /** Shares that this replica has noted, so that it does so once. */
  private readonly noted = new LRUCache<string, true>({ max: MAX_NOTED });
  private readonly writes: PeriodicTask;

  constructor(
    tasks: BackgroundTasks,
    clock: Clock,
    database: Database,
    @InjectRepository(QuotaMarkEntity) private readonly marks: Repository<QuotaMarkEntity>,
    @Inject(CONFIG) config: Config,
  ) {
    this.writes = tasks.every(WRITE_EVERY_MS, 'reached quotas cannot be written; they are tried again', () =>
      this.write(),
    );
    tasks.deleteExpired('quota marks', async (limit) => {
      const firstDay = utcDay(clock.nowMs() - config.usageRetentionDays * DAY_MS);
      return (await database.query(DELETE_BEFORE, [firstDay, limit])).length;
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.writes.run();
  }

  /** `day`: the window of the day as a decision leaves it. */
  note(keyId: string, { limit, used, resetAtMs }: WindowState): void {
    if (used * 100 < limit * SHARES[0]) return;
    const day = utcDay(resetAtMs - DAY_MS);
    for (const percent of SHARES) {
      const name = `${day} ${String(percent)} ${keyId}`;
      if (used * 100 < limit * percent || this.noted.has(name) || this.pending.length >= MAX_PENDING)
        continue;
      this.noted.set(name, true);
      this.pending.push({ keyId, day, percent, dayLimit: limit, used });
    }
  }

  /** A repeat changes nothing, so an unknown outcome is tried again. */
  private async write(): Promise<void> {
    while (this.pending.length > 0) {
      const batch = this.pending.slice(0, ROWS_PER_STATEMENT);
      await this.marks.createQueryBuilder().insert().values(batch).orIgnore().execute();
      this.pending.splice(0, batch.length);
    }
  }
}
