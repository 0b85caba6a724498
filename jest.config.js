/** Unit tests stand beside the code (`**.spec.ts`), tests from outside in `test/` (`*.e2e-spec.ts`). */
export const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  // Relative imports end in .js, as ES modules ask; under jest they are the .ts files themselves.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Types are checked by `npm run check`; here files are only translated.
  transform: {
    '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false, tsconfig: { isolatedModules: true } }],
  },
};

export default {
  // A failed test may leave a service running; the run ends all the same.
  forceExit: true,
  maxWorkers: 2,
  testTimeout: 30_000,
  projects: [
    { ...shared, displayName: 'unit', rootDir: 'src', testRegex: '\\.spec\\.ts$' },
    { ...shared, displayName: 'client', rootDir: 'client/src', testRegex: '\\.spec\\.ts$' },
    { ...shared, displayName: 'outside', rootDir: 'test', testRegex: '\\.e2e-spec\\.ts$' },
  ],
};
