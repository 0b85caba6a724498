import { Inject, Injectable, Optional } from '@nestjs/common';
import type { PoolConfig } from 'pg';
import { CONFIG, type Config } from '../../config/config.js';
import { TRACES } from '../../telemetry/telemetry.module.js';
import type { Traces } from '../../telemetry/tracing/traces.js';
import { ConnectionPool } from './connection-pool.js';
import { pipelinedConnections } from '../data-source.js';

/** What TypeORM's option `driver` takes in place of `pg`: TypeORM makes its only pool with `new driver.Pool(…)`. */
@Injectable()
export class DatabaseDriver {
  readonly Pool: new (options: PoolConfig) => ConnectionPool;
  /** Undefined before the start. */
  pool: ConnectionPool | undefined;

  constructor(
    @Inject(CONFIG) { database }: Config,
    // Absent in commands.
    @Optional() @Inject(TRACES) traces: Traces | null | undefined,
  ) {
    const opened = (pool: ConnectionPool) => (this.pool = pool);
    this.Pool = class extends ConnectionPool {
      constructor(options: PoolConfig) {
        super(options, pipelinedConnections(database), traces);
        opened(this);
      }
    };
  }
}
