import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readConfig } from '../config/load-config.js';
import { DatabaseStarter } from '../database/database-starter.js';
import { createLogger, NestLogger } from '../telemetry/logger.js';
import { CommandsModule } from './commands.module.js';

/** Opens the database, does the work with the services of `modules`, and closes the database again. */
export async function withServices<Result>(
  modules: (Type | DynamicModule)[],
  work: (services: INestApplicationContext) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  // The command's own output is alone on stdout.
  const logger = new NestLogger(createLogger('error', process.stderr));
  const app = await NestFactory.createApplicationContext(CommandsModule.of(config, modules), {
    logger,
    abortOnError: false,
  });
  try {
    await app.get(DatabaseStarter).startForCommand();
    return await work(app);
  } finally {
    await app.close();
  }
}
