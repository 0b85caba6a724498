import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { Command, type Option } from 'commander';
import { dump } from './dump.command.js';
import { reportFailure } from './failure.js';
import { importPets } from './import.command.js';
import { keys } from './keys.command.js';
import { seed } from './seed.command.js';
import { type DocumentedApp, openapi } from './openapi.command.js';

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

/** Every command. `loadApp`: imports the application, for the command that needs it. */
function programOf(loadApp: () => Promise<DocumentedApp>): Command {
  const program = new Command('animal-store')
    .description('The command line of the animal store')
    .version(version);
  const others = [dump, importPets, seed, openapi(loadApp)];
  for (const command of [keys, ...others]) program.addCommand(command);
  for (const command of [program, keys, ...others, ...keys.commands]) {
    // failure.ts reports every error in one line.
    command
      .exitOverride()
      .showSuggestionAfterError(false)
      .configureOutput({ writeErr: () => undefined });
    for (const option of command.options) refuseRepetition(command, option);
  }
  return program;
}

/** commander takes the last value of an option; a caller who gives two may mean the other one. */
function refuseRepetition(command: Command, option: Option): void {
  // A Command is an EventEmitter, which its types do not say. This listener runs before the one that sets the value.
  (command as unknown as EventEmitter).prependListener(`option:${option.name()}`, () => {
    if (command.getOptionValueSource(option.attributeName()) === 'cli')
      command.error(`error: option '${option.flags}' is given more than once`);
  });
}

/**
 * Runs the command that the process's arguments name and sets the exit code. An error is one line on stderr. `loadApp`: imports the
 * application.
 */
export async function runCommandLine(loadApp: () => Promise<DocumentedApp>): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of the output may stop early, as `| head` does. A failure is reported once.
    if (error.code === 'EPIPE' || process.exitCode) return;
    process.exitCode = reportFailure(new Error(`The output cannot be written: ${error.message}`));
  });
  // The work goes on when its progress cannot be shown.
  process.stderr.on('error', () => undefined);
  try {
    await programOf(loadApp).parseAsync();
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

const SERVICE_HELP = `Usage: node dist/main.js

Starts the animal store. Its settings are environment variables or lines of .env; .env.example lists them.
SIGTERM stops it. For commands: node dist/cli.js --help
`;

/** Answers the arguments of dist/main.js, which starts the service when it has none. */
export function answerArgument(argument: string): void {
  if (argument === '--help' || argument === '-h') process.stdout.write(SERVICE_HELP);
  else if (argument === '--version' || argument === '-V') process.stdout.write(`${version}\n`);
  else {
    process.stderr.write('error: the service takes no argument but --help and --version\n');
    process.exitCode = 2;
  }
}
