import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { fileURLToPath } from 'node:url';
import { call } from '../../support/http/client.js';
import { embedded, type TestDatabase } from '../../support/databases.js';
import { until } from '../../support/until.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const REQUEST = /^\[\d\d:\d\d:\d\d\] INFO <127\.0\.0\.1>: request$/m;

describe('the log on a terminal', () => {
  let database: TestDatabase;
  let child: ChildProcess;
  let shown = '';

  beforeAll(async () => {
    database = await embedded.create();
    // `script` gives its child a terminal of its own, and copies what appears there.
    child = spawn('/usr/bin/script', ['-qefc', `exec '${process.execPath}' '${MAIN}'`, '/dev/null'], {
      env: { PATH: process.env.PATH, ...database.env, PORT: '0', SHUTDOWN_DELAY_MS: '0', TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      shown = stripVTControlCharacters(shown + text).replaceAll('\r', '');
    });
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await database.drop();
  });

  it('is made for reading: a line and its fields, no JSON', async () => {
    const url = await until(() => /INFO: listening\n +url: "(\S+)"/.exec(shown)?.[1]);
    await until(() => shown.includes('INFO: ready'));
    expect((await call(url, { path: '/v1/pets', headers: { 'x-request-id': 'seen' } })).status).toBe(401);
    await until(() => REQUEST.test(shown) && shown.includes('durationMs'));
    expect(shown).toMatch(/^ +requestId: "seen"$/m);
    expect(shown).toMatch(/^ +status: 401$/m);
    for (const line of shown.split('\n')) expect(line).not.toMatch(/^\{/);
  });

  it('ends with Ctrl-C as it does with SIGTERM', async () => {
    const closed = once(child, 'close');
    child.stdin?.write('\u0003');
    expect(await closed).toEqual([0, null]);
    expect(shown).toMatch(/INFO: draining\n +signal: "SIGINT"/);
    expect(shown).toContain('INFO: stopped');
  });

  it('shows the demo key once, beside the log, and never in it', () => {
    const [key = '', ...more] = new Set(shown.match(/ask_[0-9A-Za-z]{49}/g));
    expect(more).toEqual([]);
    const lines = shown.split('\n').filter((line) => line.includes(key));
    expect(lines).toEqual([
      `  ${key}`,
      expect.stringMatching(/^ {2}curl -H 'Authorization: Bearer ask_\w+' http/),
    ]);
  });
});
