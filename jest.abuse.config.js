import { shared } from './jest.config.js';

/** `npm run test:abuse`: apart from the suite, because of the minutes it takes. */
export default {
  ...shared,
  displayName: 'abuse',
  rootDir: 'test/abuse',
  testRegex: '\\.abuse-spec\\.ts$',
  forceExit: true,
  maxWorkers: 1,
  testTimeout: 60_000,
};
