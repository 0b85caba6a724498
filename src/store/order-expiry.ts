import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { SERVICE } from '../auth/actor.js';
import { PetsService } from '../pets/pets.service.js';
import { BackgroundTasks, type PeriodicTask } from '../platform/common/background-tasks.js';
import { Database } from '../platform/database/database.js';
import { Metrics } from '../platform/telemetry/metrics/metrics.js';
import { OrdersRepository } from './orders.repository.js';

/** An order expires at most 5 s after it is due. A round after a replica that holds the lock and froze comes after 3 s. */
const ROUND_EVERY_MS = 1_000;
/** Few orders in a transaction, so that no lock lasts long. */
const ORDERS_PER_TRANSACTION = 100;

/**
 * Ends placed orders that are due: in one transaction the order expires and its animal is available again. Every replica runs rounds, and
 * one at a time changes rows. Of an approval and an expiry of one order the first to lock its row wins.
 */
@Injectable()
export class OrderExpiry {
  private readonly logger = new Logger('OrderExpiry');
  private readonly rounds: PeriodicTask;
  private readonly expired: Counter<never> | undefined;

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: OrdersRepository,
    private readonly pets: PetsService,
    private readonly database: Database,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.expired = metrics?.counter('orders_expired_total', 'Placed orders that have expired.', []);
    this.rounds = tasks.every(ROUND_EVERY_MS, 'due orders cannot expire; they are tried again', () =>
      this.expireDue(),
    );
  }

  private async expireDue(): Promise<void> {
    for (let isMoreDue = true; isMoreDue && !this.rounds.isStopped;) {
      const due = await this.repository.due(ORDERS_PER_TRANSACTION);
      if (due.length === 0) return;
      const expired = await this.database.transaction(() => this.expire(due));
      if (expired === undefined) return;
      this.expired?.inc(expired);
      isMoreDue = due.length === ORDERS_PER_TRANSACTION;
    }
  }

  /** Resolves with the number of expired orders; undefined while another replica is at it. */
  private async expire(ids: readonly bigint[]): Promise<number | undefined> {
    if (!(await this.repository.lockExpiry())) return undefined;
    const expired = await this.repository.expire(ids);
    const released = await this.pets.releaseAll(expired, SERVICE);
    // One row that breaks the rules must not keep all others from expiring.
    if (released < expired.length)
      this.logger.error({ ids: ids.map(String) }, 'an order expired that did not reserve its animal');
    return expired.length;
  }
}
