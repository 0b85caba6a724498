import { Command } from 'commander';
import { exportDatabase } from './commands/export.command.js';
import { reportFailure } from './commands/failure.js';
import { importDatabase } from './commands/import.command.js';
import { keysCreate } from './commands/keys-create.command.js';
import { keysList } from './commands/keys-list.command.js';
import { keysRevoke } from './commands/keys-revoke.command.js';
import { keysRotate } from './commands/keys-rotate.command.js';
import { keysSetPlan } from './commands/keys-set-plan.command.js';
import { keysShow } from './commands/keys-show.command.js';
import { keysUnban } from './commands/keys-unban.command.js';
import { seed } from './commands/seed.command.js';
import { openapi } from './openapi.command.js';

const keys = new Command('keys').description(
  'API keys: issue, show and revoke them, also while the service runs',
);
const program = new Command('animal-store').description('The command line of the animal store');

for (const command of [keysCreate, keysList, keysShow, keysRotate, keysRevoke, keysSetPlan, keysUnban])
  keys.addCommand(command);
const others = [exportDatabase, importDatabase, seed, openapi];
for (const command of [keys, ...others]) program.addCommand(command);
for (const command of [program, keys, ...others, ...keys.commands]) {
  // What goes wrong is told in one place and in one line: commands/failure.ts.
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => undefined });
}

/** Does what the process's arguments say, and sets how it exits. What goes wrong is one line on stderr. */
export async function runCommandLine(): Promise<void> {
  // Whoever reads the output may stop reading, as `| head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}
