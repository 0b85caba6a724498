import { Command } from 'commander';
import { database } from '../commands/database.command.js';
import { exportDatabase } from '../commands/export.command.js';
import { reportFailure } from '../commands/failure.js';
import { importDatabase } from '../commands/import.command.js';
import { keys } from '../commands/keys.command.js';
import { seed } from '../commands/seed.command.js';
import { openapi } from './openapi.command.js';

const program = new Command('animal-store').description('The command line of the animal store');

const others = [exportDatabase, importDatabase, seed, openapi];
for (const command of [keys, database, ...others]) program.addCommand(command);
for (const command of [program, keys, database, ...others, ...keys.commands, ...database.commands]) {
  // commands/failure.ts reports every error in one line.
  command
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({ writeErr: () => undefined });
}

/** Runs the command that the process's arguments name and sets the exit code. An error is one line on stderr. */
export async function runCommandLine(): Promise<void> {
  // The reader of the output may stop early, as `| head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}
