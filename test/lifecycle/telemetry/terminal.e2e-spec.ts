import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { fileURLToPath } from 'node:url';
import { call } from '../../support/http/client.js';
import { start } from '../../support/clean-up.js';
import { embedded } from '../../support/databases.js';
import { until } from '../../support/until.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const REQUEST =
  /^\[\d\d:\d\d:\d\d\] INFO <127\.0\.0\.1>: request GET \/v1\/pets 401, [\d.]+ ms \{"requestId":"seen","code":"missing_api_key"\}$/m;

// data-dir.e2e-spec.ts has the demo key.
describe('the log on a terminal', () => {
  let child: ChildProcess;
  let shown = '';

  beforeAll(async () => {
    const { env } = await embedded.create();
    // `script` gives its child a terminal, and copies the output.
    child = start('/usr/bin/script', ['-qefc', `exec '${process.execPath}' '${MAIN}'`, '/dev/null'], {
      env: { PATH: process.env.PATH, ...env, PORT: '0', SHUTDOWN_DELAY_MS: '0', TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      shown = stripVTControlCharacters(shown + text).replaceAll('\r', '');
    });
  });

  it('has a readable line for each request instead of JSON', async () => {
    const url = await until(() => /INFO: listening \{"url":"(\S+)"\}/.exec(shown)?.[1]);
    await until(() => shown.includes('INFO: ready'));
    expect((await call(url, { path: '/v1/pets', headers: { 'x-request-id': 'seen' } })).status).toBe(401);
    await until(() => REQUEST.test(shown));
    for (const line of shown.split('\n')) expect(line).not.toMatch(/^\{/);
  });

  it('shows a clean stop after Ctrl-C', async () => {
    const closed = once(child, 'close');
    child.stdin?.write('\u0003');
    expect(await closed).toEqual([0, null]);
    expect(shown).toMatch(/INFO: draining \{"signal":"SIGINT"\}/);
    expect(shown).toContain('INFO: stopped');
  });
});
