import { fileURLToPath } from 'node:url';

/** Programs that Debian does not have: TEST_ENGINES names their folder, or it lies beside the project. */
export const ENGINES =
  process.env.TEST_ENGINES ?? fileURLToPath(new URL('../../../../shared/engines', import.meta.url));
