import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';
import { EventsRepository, type Unsettled } from '../events.repository.js';
import { ROWS_PER_SETTLING } from './feed.statements.js';

/** An event shows within a second of its commit, also when two rounds fail. */
const SETTLE_EVERY_MS = 250;

/** Gives events their positions, and removes old ones. Every replica runs it. */
@Injectable()
export class Settler {
  /** At the beginning of the last round. */
  private unsettled: Unsettled = { rowCount: 0, eventCount: 0, ageSeconds: 0 };

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: EventsRepository,
    @Inject(CONFIG) config: Config,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    const settling = tasks.every(SETTLE_EVERY_MS, 'events cannot be given positions', async () => {
      while ((await this.settle()) && !settling.isStopped);
    });
    tasks.deleteExpired('events', (limit) => repository.remove(config.eventRetentionDays, limit));
    metrics?.gauge(
      'events_unsettled',
      'Committed events without a place in the feed',
      () => this.unsettled.eventCount,
    );
    metrics?.gauge(
      'events_unsettled_age_seconds',
      'Age of the oldest committed event without a place in the feed',
      () => this.unsettled.ageSeconds,
    );
  }

  /** Resolves with whether it has settled a whole batch, so that more may wait. What is committed meanwhile waits for the next round. */
  private async settle(): Promise<boolean> {
    this.unsettled = await this.repository.unsettled();
    return this.unsettled.rowCount > 0 && (await this.repository.settle()) === ROWS_PER_SETTLING;
  }
}
