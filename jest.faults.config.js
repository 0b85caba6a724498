import { shared, withTemplates } from './jest.config.js';

/** `npm run test:faults`: processes killed, servers taken away, clocks turned. One file at a time, for they measure. */
export default {
  ...shared,
  ...withTemplates,
  displayName: 'faults',
  rootDir: 'test/faults',
  testRegex: '\\.fault-spec\\.ts$',
  maxWorkers: 1,
  testTimeout: 600_000,
};
