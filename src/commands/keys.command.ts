import { once } from 'node:events';
import { Command, Option } from 'commander';
import { keyNotFound } from '../auth/auth.errors.js';
import {
  KEY_STATES,
  type ApiKey,
  type IssuedApiKey,
  type KeyEvent,
  type KeyFilter,
} from '../auth/keys/api-key.js';
import type { ApiKeysService } from '../auth/keys/api-keys.service.js';
import {
  checkedChanges,
  checkedNewKey,
  DEFAULT_ACCESS,
  DEFAULT_OVERLAP_SECONDS,
  keyIdOf,
  MAX_OVERLAP_SECONDS,
} from '../auth/keys/key-rules.js';
import { PLAN_NAMES } from '../auth/plans.js';
import { ACCESS_LEVELS } from '../platform/common/access.js';
import { RefusedInputError } from '../platform/common/errors/api-error.js';
import { parseDurationMs, parseWholeNumber } from './command-options.js';
import { reportFailure } from './failure.js';
import { eventsTable, keysTable, keyTable } from './output.js';

/** Who the history of a key names. */
const ACTOR = 'command';
const SHOWN_EVENTS = 1_000;

interface Options {
  json?: true;
  perMinute?: number;
  perDay?: number;
}

interface NewKeyOptions extends Options {
  name: string;
  plan: string;
  access: string;
  reference?: string;
  expiresIn?: number;
}

interface ListOptions extends Options, KeyFilter {
  after?: string;
  limit?: number;
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
  .option('--access <access>', `${ACCESS_LEVELS.join(', ')}; each includes those before it`, DEFAULT_ACCESS)
  .option('--expires-in <duration>', 'how long it is valid, as in 90d', parseDurationMs)
  .option('--reference <text>', 'your own id of the holder')
  .action(({ json, expiresIn, ...fields }: NewKeyOptions) => {
    const expiresAt = expiresIn === undefined ? undefined : new Date(Date.now() + expiresIn);
    const key = checkedNewKey({ ...fields, expiresAt });
    return run(json, (service) => service.create(key, ACTOR));
  });

subcommand('list', 'show all keys, oldest first')
  .option('--after <id>', 'only the keys that follow this one', checkedKeyId)
  .option('--limit <n>', 'the most keys to show', parseWholeNumber)
  .addOption(new Option('--plan <plan>', 'only keys of this plan').choices(PLAN_NAMES))
  .addOption(new Option('--access <access>', 'only keys with this access').choices(ACCESS_LEVELS))
  .addOption(new Option('--state <state>', 'only keys in this state').choices(KEY_STATES))
  .option('--name <start>', 'only keys whose name begins like this')
  .option('--reference <text>', 'only keys of this holder')
  .action(async ({ after, limit, json, ...filter }: ListOptions) => {
    if (limit === 0) throw new RefusedInputError('--limit: expected at least 1');
    checkedChanges({ name: filter.name, reference: filter.reference });
    const { withKeys } = await import('./with-service.js');
    await withKeys(async (service) => {
      const { stdout } = process;
      for await (const text of listing(service.listAll(filter, after, limit), json)) {
        // Its reader may have gone, as `| head` does.
        if (stdout.destroyed) return;
        if (!stdout.write(text)) await once(stdout, 'drain').catch(() => undefined);
      }
    });
  });

keyCommand('show', 'show one key and its history').action((id: string, { json }: Options) =>
  // Every command prints the same JSON for a key; the history is in the table only.
  run(json, async (service) => {
    const key = await service.get(id);
    return json ? key : { key, events: (await service.events(id, SHOWN_EVENTS, undefined)).items };
  }),
);

keyCommand('rotate', 'give a key a new secret and show it, once')
  .addOption(
    new Option('--overlap <duration>', 'how long the old secret still works; 0s ends it at once')
      .argParser(parseDurationMs)
      .default(DEFAULT_OVERLAP_SECONDS * 1_000, '24h'),
  )
  .action((id: string, { json, overlap }: Options & { overlap: number }) => {
    if (overlap > MAX_OVERLAP_SECONDS * 1_000) throw new RefusedInputError('--overlap: expected at most 30d');
    return run(json, (service) => service.rotate(id, overlap, ACTOR));
  });

keyCommand('revoke', 'end a key for good; its open orders stay with the store').action(
  (id: string, { json }: Options) =>
    run(json, async (service) => {
      const key = await service.revoke(id, ACTOR);
      const openOrders = await service.countOpenOrders(id);
      // On stderr, because stdout has the key alone.
      if (openOrders > 0)
        process.stderr.write(`open orders that the key leaves to the store: ${openOrders}\n`);
      return key;
    }),
);

keyCommand('set-plan', 'move a key to another plan')
  .argument('<plan>', PLAN_NAMES.join(', '))
  .option('--per-minute <n>', 'requests per minute, with enterprise', parseWholeNumber)
  .option('--per-day <n>', 'requests per UTC day, with enterprise', parseWholeNumber)
  .action((id: string, plan: string, { json, perMinute, perDay }: Options) => {
    const changes = checkedChanges({ plan, perMinute, perDay });
    return run(json, (service) => service.update(id, changes, ACTOR));
  });

keyCommand('set-expiry', 'let a key end later or sooner; an expired key comes back')
  .argument('<when>', 'how long from now, as in 90d, or never', (text) =>
    text === 'never' ? null : parseDurationMs(text),
  )
  .action((id: string, durationMs: number | null, { json }: Options) => {
    const expiresAt = durationMs === null ? null : new Date(Date.now() + durationMs);
    const changes = checkedChanges({ expiresAt });
    return run(json, (service) => service.update(id, changes, ACTOR));
  });

keyCommand('unban', 'end a ban and reset the penalties that led to it').action(
  (id: string, { json }: Options) => run(json, (service) => service.unban(id, ACTOR)),
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

function checkedKeyId(text: string): string {
  const id = keyIdOf(text);
  if (id === undefined) throw keyNotFound(text);
  return id;
}

/** One JSON value, or a table for each page, because a table as wide as its widest cell needs all its rows. */
async function* listing(pages: AsyncIterable<ApiKey[]>, json: boolean | undefined): AsyncGenerator<string> {
  let isFirst = true;
  for await (const page of pages) {
    yield json ? (isFirst ? '[' : ',') + JSON.stringify(page).slice(1, -1) : `${keysTable(page)}\n`;
    isFirst = false;
  }
  if (json) yield isFirst ? '[]\n' : ']\n';
  else if (isFirst) yield 'There are no such keys: keys create --name NAME --plan free\n';
}

type Result = ApiKey | IssuedApiKey | { key: ApiKey; events: KeyEvent[] };

/** Calls the service and prints the key that it returns. */
async function run(json: boolean | undefined, work: (service: ApiKeysService) => Promise<Result>) {
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
