import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CommonModule } from '../common/common.module.js';
import type { Config } from '../config/config.js';
import { ConfigModule } from '../config/config.module.js';
import { DatabaseModule } from '../database/database.module.js';
import { MetricsModule } from '../telemetry/metrics.module.js';
import { TracesModule } from '../telemetry/traces.module.js';

/** The services a command needs, without the HTTP server: another door to the same house. */
@Module({})
export class CommandsModule {
  static of(config: Config, modules: (Type | DynamicModule)[]): DynamicModule {
    return {
      module: CommandsModule,
      imports: [
        ConfigModule.of(config),
        CommonModule,
        MetricsModule.forCommand(),
        TracesModule.forCommand(),
        DatabaseModule,
        ...modules,
      ],
    };
  }
}
