import { Command } from 'commander';
import type { ApiKey, IssuedApiKey, KeyHistory } from '../auth/api-key.js';
import { AuthModule } from '../auth/auth.module.js';
import { ApiKeysService } from '../auth/api-keys.service.js';
import { eventsTable, keysTable, keyTable } from './key-table.js';
import { withServices } from './with-services.js';

/** A `keys` command. Every one of them knows `--json`. */
export function keyCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'print one JSON value instead of a table');
}

type Result = ApiKey | IssuedApiKey | KeyHistory | ApiKey[];

/** Does the work and prints the key or keys it gives back. */
export async function runKeyCommand(
  options: { json?: true },
  work: (keys: ApiKeysService) => Promise<Result>,
): Promise<void> {
  const result = await withServices([AuthModule], (services) => work(services.get(ApiKeysService)));
  process.stdout.write(`${options.json ? JSON.stringify(result) : forPeople(result)}\n`);
}

function forPeople(result: Result): string {
  if ('events' in result) return `${keyTable(result.key)}\n\n${eventsTable(result.events)}`;
  if (!Array.isArray(result)) return keyTable(result);
  return result.length === 0
    ? 'There are no keys yet: keys create --name NAME --plan free'
    : keysTable(result);
}
