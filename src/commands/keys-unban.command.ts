import { checkedKeyId } from '../auth/key-rules.js';
import { keyCommand, runKeyCommand } from './key-command.js';

export const keysUnban = keyCommand('unban', 'end a ban and forget what led to it')
  .argument('<id>', "the key's id")
  .action((id: string, options: { json?: true }) => {
    const keyId = checkedKeyId(id);
    return runKeyCommand(options, (keys) => keys.unban(keyId));
  });
