import { Global, Inject, Module, Optional } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { dataSourceOptions } from './data-source.js';
import { DatabaseDriver } from './connections/database-driver.js';
import { Database } from './database.js';
import { DatabaseStarter } from './start/database-starter.js';

/** They show whether requests wait for a connection of the pool. */
const GAUGES = [
  ['database_pool_connections', 'Connections of the pool, in use or idle.', 'totalCount'],
  ['database_pool_idle_connections', 'Idle connections of the pool.', 'idleCount'],
  ['database_pool_waiting_requests', 'Statements that wait for a connection of the pool.', 'waitingCount'],
] as const;

@Module({ providers: [DatabaseDriver], exports: [DatabaseDriver] })
class DatabaseDriverModule {}

@Global()
@Module({
  imports: [
    DatabaseDriverModule,
    TypeOrmModule.forRootAsync({
      imports: [DatabaseDriverModule],
      inject: [CONFIG, DatabaseDriver],
      useFactory: (config: Config, driver: DatabaseDriver) => ({
        ...dataSourceOptions(config.database),
        driver,
        // DatabaseStarter opens it once the process answers health checks.
        manualInitialization: true,
      }),
    }),
  ],
  providers: [Database, DatabaseStarter],
  exports: [Database, DatabaseStarter],
})
export class DatabaseModule {
  // No metrics in commands.
  constructor(driver: DatabaseDriver, @Optional() @Inject(Metrics) metrics: Metrics | null | undefined) {
    for (const [name, help, part] of GAUGES) metrics?.gauge(name, help, () => driver.pool?.[part] ?? 0);
  }
}
