import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommonModule } from '../common/common.module.js';
import { ConfigModule } from '../config/config.js';
import { readConfig } from '../config/load-config.js';
import { directSettings } from '../database/data-source.js';
import { DatabaseStarter } from '../database/database-starter.js';
import { DatabaseModule } from '../database/database.module.js';
import { createLogger, NestLogger } from '../telemetry/logging/logger.js';

/** The root module of a command: the services without the HTTP server. */
@Module({})
class CommandsModule {}

/** Opens the database, runs `work` with a provider of `module`, and closes the database. */
export async function withService<Service, Result>(
  module: Type,
  service: Type<Service> | symbol,
  work: (service: Service) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  const root = {
    module: CommandsModule,
    imports: [
      ConfigModule.of({ ...config, database: directSettings(config.database) }),
      CommonModule,
      DatabaseModule,
      module,
    ],
  };
  // stdout is for the command's output alone.
  const logger = new NestLogger(await createLogger('error', process.stderr));
  const app = await NestFactory.createApplicationContext(root, { logger, abortOnError: false });
  try {
    await app.get(DatabaseStarter).startForCommand();
    return await work(app.get<Service>(service));
  } finally {
    await app.close();
  }
}
