import { resolve } from 'node:path';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { KeyFinder } from '../auth/keys/key-finder.js';
import { KeyViews } from '../keys/key-views.js';
import { KeyViewsModule } from '../keys/key-views.module.js';
import { CommonModule } from '../platform/common/common.module.js';
import { RefusedInputError } from '../platform/common/errors/refused-input-error.js';
import { ConfigModule } from '../platform/config/config.js';
import { readConfig } from '../platform/config/load-config.js';
import { type DatabaseSettings, directSettings } from '../platform/database/data-source.js';
import { DatabaseStarter } from '../platform/database/start/database-starter.js';
import { hasEmbeddedDatabase } from '../platform/database/start/embedded-database.js';
import { DatabaseModule } from '../platform/database/database.module.js';
import { CatalogueModule } from '../pets/catalogue.module.js';
import { PetImportsModule } from '../pets/imports/pet-imports.module.js';
import { PetImportsService } from '../pets/imports/pet-imports.service.js';
import { PetsService } from '../pets/pets.service.js';
import { OpenOrders } from '../store/open-orders.js';
import { OpenOrdersModule } from '../store/open-orders.module.js';
import { isRefusal } from './failure.js';
import { createLogger, NestLogger } from '../platform/telemetry/logging/logger.js';

/*
 * What commands do with the database: each function opens it, runs `work` and closes it. Commands load this file when they run,
 * because help and refused input should not wait for Nest and TypeORM.
 */

/** What the commands of keys use. */
export interface KeyTools {
  service: ApiKeysService;
  finder: KeyFinder;
  views: KeyViews;
  orders: OpenOrders;
}

export const withKeys = <Result>(work: (tools: KeyTools) => Promise<Result>) =>
  withService([KeyViewsModule, OpenOrdersModule], (app) =>
    work({
      service: app.get(ApiKeysService),
      finder: app.get(KeyFinder),
      views: app.get(KeyViews),
      orders: app.get(OpenOrders),
    }),
  );

export const withPets = <Result>(work: (pets: PetsService) => Promise<Result>) =>
  // It may take long: who has the wrong database in mind can still stop it.
  withService([CatalogueModule], (app) => work(app.get(PetsService)), { isNamedFirst: true });

export const withPetImports = <Result>(work: (imports: PetImportsService) => Promise<Result>) =>
  withService([PetImportsModule], (app) => work(app.get(PetImportsService)), { isNamedFirst: true });

/** The root module of a command: the services without the HTTP server. */
@Module({})
class CommandsModule {}

interface Manner {
  /** The database is named before the work; otherwise after it, or in the message of a refusal, which is one line. */
  isNamedFirst?: true;
}

async function withService<Result>(
  modules: Type[],
  work: (app: INestApplicationContext) => Promise<Result>,
  { isNamedFirst }: Manner = {},
): Promise<Result> {
  const config = await readConfig();
  const database = directSettings(config.database);
  const name = nameOf(database);
  if (database.server === undefined && !hasEmbeddedDatabase(database.dataDir))
    throw new RefusedInputError(
      `There is no database: DATABASE_URL is not set, and DATA_DIR ${resolve(database.dataDir)} holds none (a service makes it when it starts).`,
    );
  const root = {
    module: CommandsModule,
    imports: [ConfigModule.forRoot({ ...config, database }), CommonModule, DatabaseModule, ...modules],
  };
  // stdout is for the command's output alone.
  const logger = new NestLogger(await createLogger('error', process.stderr));
  const app = await NestFactory.createApplicationContext(root, { logger, abortOnError: false });
  try {
    await app.get(DatabaseStarter).startForCommand();
    if (isNamedFirst) process.stderr.write(`using ${name}\n`);
    const result = await work(app).catch((error: unknown) => {
      throw isRefusal(error) ? new RefusedInputError(`${error.message} (${name})`) : error;
    });
    if (!isNamedFirst) process.stderr.write(`used ${name}\n`);
    return result;
  } finally {
    await app.close();
  }
}

/** The database for people, without user and password. */
function nameOf({ server, migrationServer, dataDir }: DatabaseSettings): string {
  if (server === undefined) return `the embedded database in ${resolve(dataDir)}`;
  const variable = server === migrationServer ? 'DATABASE_MIGRATION_URL' : 'DATABASE_URL';
  const { host, port, user, database = user } = server;
  const place = port === undefined ? host : `${host}, port ${String(port)}`;
  return `the database ${database ?? '(unnamed)'} at ${place} (${variable})`;
}
