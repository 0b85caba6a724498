import { CommanderError } from 'commander';
import { KeyRefusedError } from '../auth/auth.errors.js';
import { ConfigError } from '../config/load-config.js';

/** The input was wrong. */
const EXIT_BAD_INPUT = 2;
/** The input was right, but the work could not be done. */
const EXIT_FAILED = 1;

/** Tells what went wrong in one line on stderr (one per mistake in the environment) and how to exit. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    // Commander has written its line, or the help that was asked for, itself.
    return error.exitCode === 0 ? 0 : EXIT_BAD_INPUT;
  }
  if (error instanceof ConfigError) {
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    return EXIT_FAILED;
  }
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message.replace(/\s+/g, ' ')}\n`);
  return error instanceof KeyRefusedError ? EXIT_BAD_INPUT : EXIT_FAILED;
}
