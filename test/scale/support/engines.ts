import { fileURLToPath } from 'node:url';

/** The folder of programs that Debian does not have: TEST_ENGINES, or a folder beside the project. */
export const ENGINES =
  process.env.TEST_ENGINES ?? fileURLToPath(new URL('../../../../shared/engines', import.meta.url));
