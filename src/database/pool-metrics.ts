import { Inject, Injectable, Optional } from '@nestjs/common';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { Database } from './database.js';

const GAUGES = [
  ['database_pool_connections', 'Connections of the pool, in use or idle.', 'total'],
  ['database_pool_idle_connections', 'Idle connections of the pool.', 'idle'],
  ['database_pool_waiting_requests', 'Statements that wait for a connection of the pool.', 'waiting'],
] as const;

/** Gauges of the connection pool, which show whether requests wait for a connection. */
@Injectable()
export class PoolMetrics {
  // No metrics in commands.
  constructor(database: Database, @Optional() @Inject(Metrics) metrics: Metrics | null | undefined) {
    for (const [name, help, part] of GAUGES) metrics?.gauge(name, help, () => database.poolState[part]);
  }
}
