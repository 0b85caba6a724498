import { once } from 'node:events';
import { Command, Option } from 'commander';
import {
  type ApiKey,
  DEFAULT_ACCESS,
  DEFAULT_OVERLAP_SECONDS,
  KEY_STATES,
  MAX_OVERLAP_SECONDS,
} from '../auth/keys/api-key.js';
import { COMMAND } from '../auth/actor.js';
import { PLAN_NAMES } from '../auth/plans.js';
import { ACCESS_LEVELS } from '../auth/access.js';
import type { KeyEventDto } from '../keys/dto/key-lists.dto.js';
import type { IssuedKeyDto, KeyDto } from '../keys/dto/keys.dto.js';
import type { KeyViews } from '../keys/key-views.js';
import { RefusedInputError } from '../platform/common/errors/refused-input-error.js';
import { parseDurationMs, parseWholeNumber } from './command-options.js';
import { reportFailure } from './failure.js';
import type { KeyOptions } from './key-input.js';
import { eventsTable, keysTable, keyTable } from './output.js';
import type { KeyTools } from './with-service.js';

const SHOWN_EVENTS = 1_000;
const WHICH_KEY = 'its id, how its secret begins (ask_ and 8 characters), or its name if no other key has it';
/** More than a secret and its line end. */
const MAX_INPUT_BYTES = 1_024;

interface Options {
  json?: true;
}

interface NewKeyOptions extends Options, KeyOptions {
  expiresIn?: number;
}

interface ListOptions extends Options, Record<'plan' | 'access' | 'state' | 'q' | 'reference', string> {
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
  .action(async ({ json, expiresIn, ...fields }: NewKeyOptions) => {
    const { newKeyOf } = await import('./key-input.js');
    const key = newKeyOf(fields, expiresIn);
    return run(json, async ({ service, views }) => views.created(await service.create(key, COMMAND)));
  });

subcommand('list', 'show all keys, oldest first')
  .option('--after <key>', `only the keys that follow this one: ${WHICH_KEY}`)
  .option('--limit <n>', 'the most keys to show', parseWholeNumber)
  .addOption(new Option('--plan <plan>', 'only keys of this plan').choices(PLAN_NAMES))
  .addOption(new Option('--access <access>', 'only keys with this access').choices(ACCESS_LEVELS))
  .addOption(new Option('--state <state>', 'only keys in this state').choices(KEY_STATES))
  .option(
    '--q <text>',
    'only keys with this in their name or reference, or with a secret that begins like this',
  )
  .option('--reference <text>', 'only keys of this holder')
  .action(async ({ after, limit, json, ...given }: ListOptions) => {
    if (limit === 0) throw new RefusedInputError('--limit: expected at least 1');
    const { listQueryOf } = await import('./key-input.js');
    const query = listQueryOf(given);
    const { withKeys } = await import('./with-service.js');
    await withKeys(async ({ service, finder, views }) => {
      const { stdout } = process;
      const afterId = after === undefined ? undefined : await finder.idOf(after);
      const pages = service.listAll(views.filterFrom(query), afterId, limit);
      for await (const text of listing(pages, views, json)) {
        // Its reader may have gone, as `| head` does.
        if (stdout.destroyed) return;
        if (!stdout.write(text)) await once(stdout, 'drain').catch(() => undefined);
      }
    });
  });

keyCommand('show', 'show one key and its history').action((which: string, { json }: Options) =>
  // Every command prints the same JSON for a key; the history is in the table only.
  runOn(which, json, async ({ service, views }, id) => {
    const key = await views.one(await service.get(id));
    if (json) return key;
    const { items: events } = await views.events(await service.events(id, 'asc', SHOWN_EVENTS, undefined));
    return { key, events };
  }),
);

keyCommand('rotate', 'give a key a new secret and show it, once')
  .addOption(
    new Option('--overlap <duration>', 'how long the old secret still works; 0s ends it at once')
      .argParser(parseDurationMs)
      .default(DEFAULT_OVERLAP_SECONDS * 1_000, '24h'),
  )
  .action((which: string, { json, overlap }: Options & { overlap: number }) => {
    if (overlap > MAX_OVERLAP_SECONDS * 1_000) throw new RefusedInputError('--overlap: expected at most 30d');
    return runOn(which, json, async ({ service, views }, id) =>
      views.rotated(id, () => service.rotate(id, overlap, COMMAND)),
    );
  });

keyCommand('revoke', 'end a key for good; its open orders stay with the store').action(
  (which: string, { json }: Options) =>
    runOn(which, json, async ({ service, views, orders }, id) => {
      const key = await service.revoke(id, COMMAND);
      const openOrders = await orders.countOf(id);
      // On stderr, because stdout has the key alone.
      if (openOrders > 0)
        process.stderr.write(`open orders that the key leaves to the store: ${openOrders}\n`);
      return views.one(key);
    }),
);

keyCommand('set-plan', 'move a key to another plan')
  .argument('<plan>', PLAN_NAMES.join(', '))
  .option('--per-minute <n>', 'requests per minute, with enterprise', parseWholeNumber)
  .option('--per-day <n>', 'requests per UTC day, with enterprise', parseWholeNumber)
  .action(async (which: string, plan: string, { json, ...limits }: Options & KeyOptions) => {
    const { keyUpdateOf } = await import('./key-input.js');
    const changes = keyUpdateOf({ plan, ...limits });
    return runOn(which, json, async ({ service, views }, id) =>
      views.one(await service.update(id, changes, COMMAND)),
    );
  });

keyCommand('set-expiry', 'let a key end later or sooner; an expired key comes back')
  .argument('<when>', 'how long from now, as in 90d, or never', (text) =>
    text === 'never' ? null : parseDurationMs(text),
  )
  .action(async (which: string, expiresInMs: number | null, { json }: Options) => {
    const { keyUpdateOf } = await import('./key-input.js');
    const changes = keyUpdateOf({}, expiresInMs);
    return runOn(which, json, async ({ service, views }, id) =>
      views.one(await service.update(id, changes, COMMAND)),
    );
  });

keyCommand('unban', 'end a ban and reset the penalties that led to it').action(
  (which: string, { json }: Options) =>
    runOn(which, json, async ({ service, views }, id) => views.one(await service.unban(id, COMMAND))),
);

subcommand(
  'find',
  'show the key of a secret, or of its first 12 characters, read from standard input; also one that was rotated away',
).action(async ({ json }: Options) => {
  const secret = await readSecret();
  return run(json, async ({ service, finder, views }) =>
    views.one(await service.get(await finder.idOfSecret(secret))),
  );
});

/** A subcommand for one key. */
function keyCommand(name: string, description: string): Command {
  return subcommand(name, description).argument('<key>', WHICH_KEY);
}

function subcommand(name: string, description: string): Command {
  return keys
    .command(name)
    .description(description)
    .option('--json', 'print one JSON value instead of a table');
}

/** What stands in standard input, and not among the arguments, which other users of the machine and the shell's history see. */
async function readSecret(): Promise<string> {
  if (process.stdin.isTTY)
    process.stderr.write('The secret or its first 12 characters, then Enter and Ctrl-D:\n');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MAX_INPUT_BYTES) break;
  }
  return text.trim();
}

/** One JSON value, or a table for each page, because a table as wide as its widest cell needs all its rows. */
async function* listing(
  pages: AsyncIterable<ApiKey[]>,
  views: KeyViews,
  json: boolean | undefined,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const keys of pages) {
    const page = await views.all(keys);
    yield json ? (isFirst ? '[' : ',') + JSON.stringify(page).slice(1, -1) : `${keysTable(page)}\n`;
    isFirst = false;
  }
  if (json) yield isFirst ? '[]\n' : ']\n';
  else if (isFirst) yield 'There are no such keys: keys create --name NAME --plan free\n';
}

type Result = KeyDto | IssuedKeyDto | { key: KeyDto; events: readonly KeyEventDto[] };

/** Finds the key that an argument names, does something to it and prints it. */
function runOn(
  which: string,
  json: boolean | undefined,
  work: (tools: KeyTools, id: string) => Promise<Result>,
): Promise<void> {
  return run(json, async (tools) => work(tools, await tools.finder.idOf(which)));
}

/** Calls the service and prints the key that it returns. */
async function run(json: boolean | undefined, work: (tools: KeyTools) => Promise<Result>): Promise<void> {
  const { withKeys } = await import('./with-service.js');
  await withKeys(async (tools) => {
    const result = await work(tools);
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
