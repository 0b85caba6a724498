import { availableParallelism } from 'node:os';
import { fileURLToPath, URL } from 'node:url';

/** Unit specs stand beside the code (`*.spec.ts`); tests from outside stand in `test/` (`*.e2e-spec.ts`). */
export const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  // Relative imports end in .js, as ES modules require; under Jest they name the .ts files.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Ends what the tests of a file have started.
  setupFilesAfterEnv: [fileURLToPath(new URL('test/support/setup/after-file.ts', import.meta.url))],
  // `npm run check` checks types; here files are only translated.
  transform: {
    '^.+\\.ts$': fileURLToPath(new URL('test/support/setup/typescript-transform.ts', import.meta.url)),
  },
};

/** Migrated databases that tests copy, made once per run from the build. */
export const withTemplates = {
  globalSetup: fileURLToPath(new URL('test/support/setup/global-setup.mts', import.meta.url)),
  globalTeardown: fileURLToPath(new URL('test/support/setup/global-teardown.mts', import.meta.url)),
};

export default {
  // Tests wait for the processes that they start, which leaves cores idle.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Only a hang ends a test: a slow machine does not.
  testTimeout: 120_000,
  projects: [
    { ...shared, displayName: 'unit', rootDir: 'src', testRegex: '\\.spec\\.ts$' },
    { ...shared, displayName: 'client', rootDir: 'packages/client/src', testRegex: '\\.spec\\.ts$' },
    {
      ...shared,
      displayName: 'pglite-server',
      rootDir: 'packages/pglite-server/src',
      testRegex: '\\.spec\\.ts$',
    },
    { ...shared, displayName: 'rate-limiter', rootDir: 'packages/rate-limiter', testRegex: '\\.spec\\.ts$' },
    {
      ...shared,
      ...withTemplates,
      displayName: 'outside',
      rootDir: 'test',
      testRegex: '\\.e2e-spec\\.ts$',
      testPathIgnorePatterns: ['<rootDir>/pages/'],
    },
  ],
};
