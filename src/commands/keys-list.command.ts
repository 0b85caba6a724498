import { keyCommand, runKeyCommand } from './key-command.js';

export const keysList = keyCommand('list', 'show all keys, oldest first').action((options: { json?: true }) =>
  runKeyCommand(options, (keys) => keys.list()),
);
