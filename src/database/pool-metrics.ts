import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '../telemetry/metrics.js';
import { Database } from './database.js';

/** The pool's state, for whoever wonders why requests wait. */
@Injectable()
export class PoolMetrics {
  constructor(database: Database, @Inject(Metrics) metrics: Metrics | null) {
    if (!metrics) return;
    metrics.gauge(
      'database_pool_connections',
      'Connections that the pool holds, in use or idle.',
      () => database.poolState.total,
    );
    metrics.gauge(
      'database_pool_idle_connections',
      'Connections of the pool that nobody uses.',
      () => database.poolState.idle,
    );
    metrics.gauge(
      'database_pool_waiting_requests',
      'Statements that wait for a connection.',
      () => database.poolState.waiting,
    );
  }
}
