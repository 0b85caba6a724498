import faults from './jest.faults.config.js';

/** `npm run test:scale`: poolers, standbys, Sentinel, clusters and workers, on servers that each file starts for itself. */
export default {
  ...faults,
  displayName: 'scale',
  rootDir: 'test/scale',
  testRegex: '\\.scale-spec\\.ts$',
};
