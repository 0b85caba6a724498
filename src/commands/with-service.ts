import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { KeyFinder } from '../auth/keys/key-finder.js';
import { CommonModule } from '../platform/common/common.module.js';
import { ConfigModule } from '../platform/config/config.js';
import { readConfig } from '../platform/config/load-config.js';
import { directSettings } from '../platform/database/data-source.js';
import { DatabaseStarter } from '../platform/database/start/database-starter.js';
import { DatabaseModule } from '../platform/database/database.module.js';
import { CatalogueModule } from '../pets/catalogue.module.js';
import { PetsService } from '../pets/pets.service.js';
import { createLogger, NestLogger } from '../platform/telemetry/logging/logger.js';

/*
 * What commands do with the database: each function opens it, runs `work` and closes it. Commands load this file when they run,
 * because help and refused input should not wait for Nest and TypeORM.
 */

export const withKeys = <Result>(work: (keys: ApiKeysService, finder: KeyFinder) => Promise<Result>) =>
  withService(AuthModule, (app) => work(app.get(ApiKeysService), app.get(KeyFinder)));

export const withPets = <Result>(work: (pets: PetsService) => Promise<Result>) =>
  withService(CatalogueModule, (app) => work(app.get(PetsService)));

/** The root module of a command: the services without the HTTP server. */
@Module({})
class CommandsModule {}

async function withService<Result>(
  module: Type,
  work: (app: INestApplicationContext) => Promise<Result>,
): Promise<Result> {
  const config = await readConfig();
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
    return await work(app);
  } finally {
    await app.close();
  }
}
