import { shared } from './jest.config.js';
import faults from './jest.faults.config.js';

/** `npm run test:scale`: poolers, standbys, Sentinel and clusters, on servers that each file starts for itself. */
export default {
  ...shared,
  displayName: 'scale',
  rootDir: 'test/scale',
  testRegex: '\\.scale-spec\\.ts$',
  maxWorkers: faults.maxWorkers,
  testTimeout: faults.testTimeout,
};
