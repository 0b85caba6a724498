import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { embedded, onDatabase } from '../support/databases.js';
import { ownService } from '../support/service.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The first block of shell that calls the service. */
function callsOf(page: string): string {
  const blocks = Array.from(read(page).matchAll(/^```sh\n([^]*?)^```$/gm), ([, block]) => block!);
  return blocks.find((block) => block.includes('curl'))!;
}

const service = ownService(embedded);

it.each(['README.md', 'docs/calls.md'])('the calls in %s succeed in order', async (page) => {
  // The first animal and the first order of each page have the id 1.
  await onDatabase(service, 'truncate pets, orders restart identity');
  const calls = callsOf(page)
    .replaceAll('http://127.0.0.1:3000', service.url)
    // The reader inserts the key, and the last action is an alternative.
    .replaceAll(/^KEY=.*$/gm, '')
    .replaceAll(/^curl .*\/cancel .*$/gm, '');
  const script = `set -euo pipefail\ncurl() { command curl -sS --fail-with-body "$@"; }\n${calls}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, KEY: await service.issueKey() },
  });
  expect(stdout).toContain('"name":"Rex"');
});
