import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Lifecycle } from '../common/lifecycle.js';
import { Sweeper } from '../common/sweeper.js';
import { DAY_MS } from '../common/time.js';
import { CONFIG, type Config } from '../config/config.js';
import { utcDay } from './usage-recorder.js';
import { UsageRepository } from './usage.repository.js';

/** Removes the usage of days that are older than `USAGE_RETENTION_DAYS`. */
@Injectable()
export class UsageSweeper extends Sweeper {
  constructor(
    private readonly repository: UsageRepository,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
    lifecycle: Lifecycle,
  ) {
    super('days of usage', lifecycle);
  }

  protected removeBatch(limit: number): Promise<number> {
    const firstDay = utcDay(this.clock.nowMs() - this.config.usageRetentionDays * DAY_MS);
    return this.repository.removeBefore(firstDay, limit);
  }
}
