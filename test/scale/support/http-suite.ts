import { execFile } from 'node:child_process';
import { bareEnvironment } from '../../support/build.js';
import type { Env } from '../../support/databases.js';

interface SuiteResult {
  numPassedTests: number;
  testResults: { message: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** The tests of operations and limits. */
const FILES = '/test/(api|limits)/';

/**
 * Runs the HTTP suite on these servers, without the tests whose names match `without`, and prints the report of each file that
 * fails. One file at a time: the servers need the cores, and a statement that waits for a core for a second is refused.
 */
export function runSuite(env: Env, without?: string): Promise<{ passed: number; failed: string[] }> {
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', '--json'];
  const selection = ['--maxWorkers=1', '--selectProjects', 'outside', '--testPathPatterns', FILES];
  const options = { env: { ...bareEnvironment(), ...env }, maxBuffer: 64 << 20 };
  const names = without === undefined ? [] : ['-t', `^((?!${without}).)*$`];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...jest, ...selection, ...names], options, (_error, stdout, stderr) => {
      try {
        const { numPassedTests, testResults } = JSON.parse(stdout.slice(stdout.indexOf('{"'))) as SuiteResult;
        for (const { message } of testResults) process.stderr.write(message);
        const failed = testResults.flatMap(({ message, assertionResults }) => {
          const names = assertionResults
            .filter(({ status }) => status === 'failed')
            .map(({ fullName }) => fullName);
          return names.length > 0 || message === '' ? names : [message];
        });
        resolve({ passed: numPassedTests, failed });
      } catch (error) {
        reject(new Error(`the suite did not run:\n${stderr}`, { cause: error }));
      }
    });
  });
}
