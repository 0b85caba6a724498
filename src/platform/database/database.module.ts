import { Global, Inject, Module, Optional } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { dataSourceOptions } from './data-source.js';
import { DatabaseStarter } from './start/database-starter.js';
import { Database } from './database.js';
import { poolOf } from './database-internals.js';
import { DatabaseProblems } from './database-problems.js';

/** They show whether requests wait for a connection of the pool. */
const GAUGES = [
  ['database_pool_connections', 'Connections of the pool, in use or idle.', 'totalCount'],
  ['database_pool_idle_connections', 'Idle connections of the pool.', 'idleCount'],
  ['database_pool_waiting_requests', 'Statements that wait for a connection of the pool.', 'waitingCount'],
] as const;

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        ...dataSourceOptions(config.database),
        // DatabaseStarter opens it once the process answers health checks.
        manualInitialization: true,
      }),
    }),
  ],
  providers: [Database, DatabaseProblems, DatabaseStarter],
  exports: [Database, DatabaseProblems, DatabaseStarter],
})
export class DatabaseModule {
  // No metrics in commands.
  constructor(dataSource: DataSource, @Optional() @Inject(Metrics) metrics: Metrics | null | undefined) {
    for (const [name, help, part] of GAUGES)
      metrics?.gauge(name, help, () => (dataSource.isInitialized ? poolOf(dataSource)[part] : 0));
  }
}
