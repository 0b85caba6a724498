import { checkedKeyId } from '../auth/key-rules.js';
import { parseOverlapMs } from './command-options.js';
import { keyCommand, runKeyCommand } from './key-command.js';

const DEFAULT_OVERLAP = '24h';

interface Options {
  overlap: number;
  json?: true;
}

export const keysRotate = keyCommand('rotate', 'give a key a new secret and show it, once')
  .argument('<id>', "the key's id")
  .option(
    '--overlap <duration>',
    'how long the old secret goes on working, as in 24h; 0s ends it at once',
    parseOverlapMs,
    parseOverlapMs(DEFAULT_OVERLAP),
  )
  .action((id: string, options: Options) => {
    const keyId = checkedKeyId(id);
    return runKeyCommand(options, (keys) => keys.rotate(keyId, options.overlap));
  });
