import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { bareEnvironment } from '../../support/build.js';
import type { Env } from '../../support/databases.js';

/** The tests of operations and limits. */
const FILES = '/test/(api|limits)/';

/**
 * Runs the HTTP suite on these servers, without the tests whose names match `without`. Rejects with Jest's report if one fails.
 * `options` are more options of Jest.
 */
export async function runSuite(servers: Env, without: string, ...options: string[]): Promise<void> {
  const env = { ...bareEnvironment(), ...servers, TEST_ONLY_SERVERS: '1' };
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...options];
  const selection = [
    ...['--selectProjects', 'outside', '--testPathPatterns', FILES],
    ...['-t', `^((?!${without}).)*$`],
  ];
  const run = promisify(execFile)(process.execPath, [...jest, ...selection], { env, maxBuffer: 64 << 20 });
  expect((await run).stderr).toMatch(/^Tests: .*\d passed/m);
}
