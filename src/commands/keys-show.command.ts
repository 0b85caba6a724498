import { keyCommand, runKeyCommand } from './key-command.js';

export const keysShow = keyCommand('show', 'show one key')
  .argument('<id>', "the key's id")
  .action((id: string, options: { json?: true }) => runKeyCommand(options, (keys) => keys.show(id)));
