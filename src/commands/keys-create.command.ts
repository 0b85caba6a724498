import { checkedName, checkedPlan } from '../auth/key-rules.js';
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
  .action((options: Options) => {
    const request = {
      name: checkedName(options.name),
      ...checkedPlan(options.plan, options),
      readOnly: options.readOnly ?? false,
      validForMs: options.expiresIn,
    };
    return runKeyCommand(options, (keys) => keys.create(request));
  });
