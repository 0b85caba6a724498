import { shared } from './jest.config.js';

/** `npm run test:faults`: processes killed, servers taken away, clocks turned. One file at a time, for they measure. */
export default {
  ...shared,
  displayName: 'faults',
  rootDir: 'test/faults',
  testRegex: '\\.fault-spec\\.ts$',
  // A failed test may leave a service running; the run ends all the same.
  forceExit: true,
  maxWorkers: 1,
  testTimeout: 600_000,
};
