import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CommonModule } from '../common/common.module.js';
import type { Config } from '../config/config.js';
import { ConfigModule } from '../config/config.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { MetricsModule } from '../telemetry/metrics.module.js';

/** The services a command needs, without the HTTP server: another door to the same house. */
@Module({})
export class CommandsModule {
  static of(config: Config): DynamicModule {
    return {
      module: CommandsModule,
      imports: [
        ConfigModule.of(config),
        CommonModule,
        MetricsModule.forCommand(),
        DatabaseModule,
        AuthModule,
      ],
    };
  }
}
