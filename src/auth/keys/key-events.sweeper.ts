import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Lifecycle } from '../../common/lifecycle.js';
import { Sweeper } from '../../common/sweeper.js';
import { DAY_MS } from '../../common/time.js';
import { CONFIG, type Config } from '../../config/config.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Removes events of keys after as many days as usage is kept. Replicas read them for seconds only; `keys show` lists them. */
@Injectable()
export class KeyEventsSweeper extends Sweeper {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
    lifecycle: Lifecycle,
  ) {
    super('events of keys', lifecycle);
  }

  protected removeBatch(limit: number): Promise<number> {
    const before = new Date(this.clock.nowMs() - this.config.usageRetentionDays * DAY_MS);
    return this.repository.removeEventsBefore(before, limit);
  }
}
