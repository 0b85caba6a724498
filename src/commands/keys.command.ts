import { once } from 'node:events';
import { Command, Option } from 'commander';
import type { ApiKey, IssuedApiKey, KeyHistory } from '../auth/keys/api-key.js';
import type { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { checkedAccess, checkedKeyId, checkedName, checkedPlan } from '../auth/keys/key-rules.js';
import { PLAN_NAMES } from '../auth/plans.js';
import { ACCESS_LEVELS } from '../platform/common/access.js';
import { RefusedInputError } from '../platform/common/errors/api-error.js';
import { parseDurationMs, parseOverlapMs, parseWholeNumber } from './command-options.js';
import { reportFailure } from './failure.js';
import { eventsTable, keysTable, keyTable } from './output.js';

const DEFAULT_OVERLAP = '24h';

interface Options {
  json?: true;
  perMinute?: number;
  perDay?: number;
}

/** `keys` and its subcommands. Input is checked before the database is opened. */
export const keys = new Command('keys').description(
  'API keys: issue, show and revoke them, also while the service runs',
);

subcommand('create', 'issue a key and show it, once')
  .requiredOption('--name <name>', 'whose key it is')
  .requiredOption('--plan <plan>', PLAN_NAMES.join(', '))
  .option('--per-minute <n>', 'requests per minute, with --plan enterprise', parseWholeNumber)
  .option('--per-day <n>', 'requests per UTC day, with --plan enterprise', parseWholeNumber)
  .option('--access <access>', `${ACCESS_LEVELS.join(', ')}; each includes those before it`, 'manage')
  .option('--expires-in <duration>', 'how long it is valid, as in 90d', parseDurationMs)
  .action((options: Options & { name: string; plan: string; access: string; expiresIn?: number }) => {
    const request = {
      name: checkedName(options.name),
      ...checkedPlan(options.plan, options),
      access: checkedAccess(options.access),
      validForMs: options.expiresIn,
    };
    return run(options, (service) => service.create(request));
  });

subcommand('list', 'show all keys, oldest first')
  .option('--after <id>', 'only the keys that follow this one', checkedKeyId)
  .option('--limit <n>', 'the most keys to show', parseWholeNumber)
  .action(async ({ after, limit, json }: Options & { after?: string; limit?: number }) => {
    if (limit === 0) throw new RefusedInputError('--limit: expected at least 1');
    const { withKeys } = await import('./with-service.js');
    await withKeys(async (service) => {
      const pages = service.list(after, limit);
      for await (const text of json ? jsonOf(pages) : tablesOf(pages)) if (!(await print(text))) return;
    });
  });

keyCommand('show', 'show one key and its history').action((id: string, options: Options) =>
  // Every command prints the same JSON for a key; the history is in the table only.
  run(options, (service) => (options.json ? service.show(id) : service.history(id))),
);

keyCommand('rotate', 'give a key a new secret and show it, once')
  .addOption(
    new Option('--overlap <duration>', 'how long the old secret still works; 0s ends it at once')
      .argParser(parseOverlapMs)
      .default(parseOverlapMs(DEFAULT_OVERLAP), DEFAULT_OVERLAP),
  )
  .action((id: string, options: Options & { overlap: number }) =>
    run(options, (service) => service.rotate(id, options.overlap)),
  );

keyCommand('revoke', 'end a key for good').action((id: string, options: Options) =>
  run(options, (service) => service.revoke(id)),
);

keyCommand('set-plan', 'move a key to another plan')
  .argument('<plan>', PLAN_NAMES.join(', '))
  .option('--per-minute <n>', 'requests per minute, with enterprise', parseWholeNumber)
  .option('--per-day <n>', 'requests per UTC day, with enterprise', parseWholeNumber)
  .action((id: string, plan: string, options: Options) => {
    const choice = checkedPlan(plan, options);
    return run(options, (service) => service.setPlan(id, choice));
  });

keyCommand('unban', 'end a ban and reset the penalties that led to it').action(
  (id: string, options: Options) => run(options, (service) => service.unban(id)),
);

/** A subcommand that takes the id of one key. */
function keyCommand(name: string, description: string): Command {
  return subcommand(name, description).argument('<id>', "the key's id", checkedKeyId);
}

function subcommand(name: string, description: string): Command {
  return keys
    .command(name)
    .description(description)
    .option('--json', 'print one JSON value instead of a table');
}

/** One JSON value, a page at a time. */
async function* jsonOf(pages: AsyncIterable<ApiKey[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const page of pages) {
    yield separator + page.map((key) => JSON.stringify(key)).join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : ']\n';
}

/** A table for each page, because a table as wide as its widest cell needs all its rows. */
async function* tablesOf(pages: AsyncIterable<ApiKey[]>): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const page of pages) {
    yield `${keysTable(page)}\n`;
    isEmpty = false;
  }
  if (isEmpty) yield 'There are no keys: keys create --name NAME --plan free\n';
}

/** Resolves once stdout takes more; with false when its reader has gone, as `| head` does. */
async function print(text: string): Promise<boolean> {
  const { stdout } = process;
  if (stdout.destroyed) return false;
  if (stdout.write(text)) return true;
  return once(stdout, 'drain').then(
    () => true,
    () => false,
  );
}

type Result = ApiKey | IssuedApiKey | KeyHistory;

/** Calls the service and prints the key that it returns. */
async function run({ json }: Options, work: (service: ApiKeysService) => Promise<Result>): Promise<void> {
  const { withKeys } = await import('./with-service.js');
  await withKeys(async (service) => {
    const result = await work(service);
    const text = json ? JSON.stringify(result) : forPeople(result);
    // Before the database is closed, which may fail: the secret is stored by now, and shown only here.
    process.stdout.write(`${text}\n`, (error) => {
      // A reader that has gone is an error here, unlike in other commands.
      if (error && 'key' in result && 'id' in result)
        process.exitCode = reportFailure(
          new Error(
            `The output cannot be written, and the key's secret is lost; keys rotate ${result.id} gives it another: ${error.message}`,
          ),
        );
    });
  });
}

function forPeople(result: Result): string {
  return 'events' in result ? `${keyTable(result.key)}\n\n${eventsTable(result.events)}` : keyTable(result);
}
