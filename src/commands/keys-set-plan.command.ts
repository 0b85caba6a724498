import { checkedKeyId, checkedPlan } from '../auth/key-rules.js';
import { PLAN_NAMES } from '../auth/plans.js';
import { parseWholeNumber } from './command-options.js';
import { keyCommand, runKeyCommand } from './key-command.js';

interface Options {
  perMinute?: number;
  perDay?: number;
  json?: true;
}

export const keysSetPlan = keyCommand('set-plan', 'move a key to another plan')
  .argument('<id>', "the key's id")
  .argument('<plan>', PLAN_NAMES.join(', '))
  .option('--per-minute <n>', 'requests per minute, with enterprise', parseWholeNumber)
  .option('--per-day <n>', 'requests per UTC day, with enterprise', parseWholeNumber)
  .action((id: string, plan: string, options: Options) => {
    const keyId = checkedKeyId(id);
    const choice = checkedPlan(plan, options);
    return runKeyCommand(options, (keys) => keys.setPlan(keyId, choice));
  });
