import { checkedKeyId } from '../auth/key-rules.js';
import { keyCommand, runKeyCommand } from './key-command.js';

export const keysShow = keyCommand('show', 'show one key and what happened to it')
  .argument('<id>', "the key's id")
  .action((id: string, options: { json?: true }) => {
    const keyId = checkedKeyId(id);
    // The JSON of a key is the same from every command; its history is for people.
    return runKeyCommand(options, (keys) => (options.json ? keys.show(keyId) : keys.history(keyId)));
  });
