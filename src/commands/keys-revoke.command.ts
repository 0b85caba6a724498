import { checkedKeyId } from '../auth/key-rules.js';
import { keyCommand, runKeyCommand } from './key-command.js';

export const keysRevoke = keyCommand('revoke', 'end a key for good')
  .argument('<id>', "the key's id")
  .action((id: string, options: { json?: true }) => {
    const keyId = checkedKeyId(id);
    return runKeyCommand(options, (keys) => keys.revoke(keyId));
  });
