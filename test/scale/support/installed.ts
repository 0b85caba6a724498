import { describe } from '@jest/globals';
import { fileURLToPath } from 'node:url';

/** The folder of programs that Debian does not have: TEST_ENGINES, or a folder beside the project. */
export const ENGINES =
  process.env.TEST_ENGINES ?? fileURLToPath(new URL('../../../../shared/engines', import.meta.url));

/** Describes tests that need a program. Prints its name where it is not installed, and the tests are skipped. */
export function describeWhere(isInstalled: boolean, program: string, title: string, tests: () => void): void {
  if (!isInstalled) process.stdout.write(`[scale] ${program}: skipped, not installed\n`);
  (isInstalled ? describe : describe.skip)(title, tests);
}
