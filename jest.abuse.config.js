import config from './jest.config.js';

const { transform, moduleNameMapper, extensionsToTreatAsEsm } = config.projects[0];

/** `npm run test:abuse`: apart from the suite, because of the minutes it takes. */
export default {
  transform,
  moduleNameMapper,
  extensionsToTreatAsEsm,
  displayName: 'abuse',
  rootDir: 'test/abuse',
  testRegex: '\\.abuse-spec\\.ts$',
  forceExit: true,
  maxWorkers: 1,
  testTimeout: 60_000,
};
