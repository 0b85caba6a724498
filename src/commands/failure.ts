import { CommanderError } from 'commander';
import type { ApiError } from '../platform/common/errors/api-error.js';
import { RefusedInputError } from '../platform/common/errors/refused-input-error.js';
import { redactApiKeys } from '../platform/common/redact.js';
import { ConfigError } from '../platform/config/load-config.js';

/** The input was wrong. */
const EXIT_BAD_INPUT = 2;
/** The input was right, but the work could not be done. */
const EXIT_FAILED = 1;

/** Writes one line to stderr (one per mistake in the environment) and returns the exit code. */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    writeLine(
      error.code === 'commander.help' ? 'error: expected a command; --help lists them' : error.message,
    );
    return EXIT_BAD_INPUT;
  }
  if (error instanceof ConfigError) {
    error.problems.forEach(writeLine);
    return EXIT_FAILED;
  }
  writeLine(error instanceof Error ? error.message : String(error));
  return isRefusal(error) ? EXIT_BAD_INPUT : EXIT_FAILED;
}

/** What the services refuse is the caller's mistake, unless the service itself has failed. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof RefusedInputError || statusOf(error) < 500;
}

/** Of an ApiError, known by its shape, because its class would load Nest; of any other error 500. */
function statusOf(error: unknown): number {
  return (error as Partial<ApiError> | undefined)?.getStatus?.() ?? 500;
}

function writeLine(text: string): void {
  // An argument that is a secret is repeated by commander.
  process.stderr.write(`${redactApiKeys(text).replace(/\s+/g, ' ').trim()}\n`);
}
