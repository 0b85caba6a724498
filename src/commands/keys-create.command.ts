import { PLAN_NAMES } from '../auth/plans.js';
import { parseDurationMs, parseWholeNumber } from './command-options.js';
import { keyCommand, runKeyCommand } from './key-command.js';

interface Options {
  name: string;
  plan: string;
  perMinute?: number;
  perDay?: number;
  readOnly?: true;
  expiresIn?: number;
  json?: true;
}

export const keysCreate = keyCommand('create', 'issue a key and show it, once')
  .requiredOption('--name <name>', 'whose key it is')
  .requiredOption('--plan <plan>', PLAN_NAMES.join(', '))
  .option('--per-minute <n>', 'requests per minute, with --plan enterprise', parseWholeNumber)
  .option('--per-day <n>', 'requests per UTC day, with --plan enterprise', parseWholeNumber)
  .option('--read-only', 'a key that may not write')
  .option('--expires-in <duration>', 'how long it is valid, as in 90d', parseDurationMs)
  .action((options: Options) =>
    runKeyCommand(options, (keys) =>
      keys.create({
        name: options.name,
        plan: options.plan,
        limits: { perMinute: options.perMinute, perDay: options.perDay },
        readOnly: options.readOnly ?? false,
        validForMs: options.expiresIn,
      }),
    ),
  );
