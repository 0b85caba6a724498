import { NestFactory } from '@nestjs/core';
import { Command } from 'commander';
import type { ApiKey, IssuedApiKey, KeyHistory } from '../auth/api-key.js';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { readConfig } from '../config/load-config.js';
import { DatabaseStarter } from '../database/database-starter.js';
import { createLogger, NestLogger } from '../telemetry/logger.js';
import { CommandsModule } from './commands.module.js';
import { eventsTable, keysTable, keyTable } from './key-table.js';

/** A `keys` command. Every one of them knows `--json`. */
export function keyCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print one JSON value instead of a table');
}

type Result = ApiKey | IssuedApiKey | KeyHistory | ApiKey[];

/** Opens the database, does the work, prints the key or keys it gives back, and closes the database again. */
export async function runKeyCommand(
  options: { json?: true },
  work: (keys: ApiKeysService) => Promise<Result>,
): Promise<void> {
  const config = readConfig();
  // The command's own output is alone on stdout.
  const logger = new NestLogger(createLogger('error', process.stderr));
  const app = await NestFactory.createApplicationContext(CommandsModule.of(config), {
    logger,
    abortOnError: false,
  });
  try {
    await app.get(DatabaseStarter).startForCommand();
    const result = await work(app.get(ApiKeysService));
    process.stdout.write(`${options.json ? JSON.stringify(result) : forPeople(result)}\n`);
  } finally {
    await app.close();
  }
}

function forPeople(result: Result): string {
  if ('events' in result) return `${keyTable(result.key)}\n\n${eventsTable(result.events)}`;
  if (!Array.isArray(result)) return keyTable(result);
  return result.length === 0
    ? 'There are no keys yet: keys create --name NAME --plan free'
    : keysTable(result);
}
