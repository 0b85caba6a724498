import { shared, withTemplates } from './jest.config.js';

/** `npm run test:fuzz`: a run takes minutes, so `npm test` leaves it out. */
export default {
  ...shared,
  ...withTemplates,
  displayName: 'fuzz',
  rootDir: 'test/fuzz',
  testRegex: '\\.fuzz-spec\\.ts$',
  maxWorkers: 1,
  testTimeout: 120_000,
};
