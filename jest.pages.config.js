import { availableParallelism } from 'node:os';
import { shared, withTemplates } from './jest.config.js';

/** `npm run test:pages`: people's tasks in a real browser. A run takes minutes, so `npm test` leaves it out. */
export default {
  ...shared,
  ...withTemplates,
  displayName: 'pages',
  rootDir: 'test/pages',
  testRegex: '\\.e2e-spec\\.ts$',
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  testTimeout: 120_000,
};
