import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { dataSourceOptions } from './data-source.js';
import { DatabaseStarter } from './database-starter.js';
import { Database } from './database.js';
import { PoolMetrics } from './pool-metrics.js';

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
  providers: [Database, DatabaseStarter, PoolMetrics],
  exports: [Database, DatabaseStarter],
})
export class DatabaseModule {}
