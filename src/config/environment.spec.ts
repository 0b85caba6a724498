import { describe, expect, test } from '@jest/globals';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { TestDirectory, problemsOf } from './config-under-test.js';
import { loadConfig, readConfig } from './load-config.js';

const directory = new TestDirectory();

describe('.env', () => {
  test('is optional', () => {
    expect(readConfig(directory.path, {})).toStrictEqual(loadConfig({}));
  });

  test('adds variables without precedence over real ones, and does not change process.env', () => {
    directory.write('.env', '# why\nPORT=8080 # here\r\nexport DATA_DIR="a # b"\n\nLOG_LEVEL=\'warn\'\n');
    const env = { LOG_LEVEL: 'debug' };
    const config = readConfig(directory.path, env);
    expect(config).toStrictEqual(loadConfig({ PORT: '8080', DATA_DIR: 'a # b', LOG_LEVEL: 'debug' }));
    expect(env).toEqual({ LOG_LEVEL: 'debug' });
  });

  test('has no precedence over a real variable, in either form or empty', () => {
    directory.write('.env', `PORT=1\nHOST_FILE=/nowhere\nLOG_LEVEL=warn\n`);
    const { port, host } = readConfig(directory.path, {
      PORT_FILE: directory.write('port', '2'),
      HOST: '::1',
    });
    expect([port, host]).toEqual([2, '::1']);
    expect(problemsOf(() => readConfig(directory.path, { LOG_LEVEL: '', HOST: '::1' }))).toEqual([
      'LOG_LEVEL is set but empty; give a value or unset it',
    ]);
  });

  test('must not set both forms of a variable', () => {
    directory.write('.env', 'PORT=1\nPORT_FILE=/nowhere');
    expect(problemsOf(() => readConfig(directory.path, {}))).toEqual([
      'PORT and PORT_FILE are both set; keep one',
    ]);
  });

  test('is reported with the other problems if it is unreadable', () => {
    mkdirSync(join(directory.path, '.env'));
    expect(problemsOf(() => readConfig(directory.path, { PORT: 'x' }))).toEqual([
      '.env: expected a readable text file; cannot read it (EISDIR)',
      'PORT: expected a whole number from 0 to 65535, in plain digits; got "x"',
    ]);
  });

  test('must not be a broken link or have bytes that are not UTF-8', () => {
    symlinkSync('nowhere', join(directory.path, '.env'));
    expect(problemsOf(() => readConfig(directory.path, {}))).toEqual([
      '.env: expected a readable text file; cannot read it (ENOENT)',
    ]);
    rmSync(join(directory.path, '.env'));
    directory.write('.env', new Uint8Array([0x41, 0x3d, 0xff]));
    expect(problemsOf(() => readConfig(directory.path, {}))).toEqual([
      '.env: expected a readable text file; cannot read it (not UTF-8)',
    ]);
  });

  test.each([
    ['PORT=80', '80'],
    ['  PORT = 80  ', '80'],
    ['PORT=80 # eighty', '80'],
    ['A="1"\r\nB=2\r\n\r\nPORT=80\r\n', '80'],
    ['PORT="80"# eighty', '80'],
    ['PORT=`80`', '80'],
    ["PORT='80'\n# PORT=\"81", '80'],
    ['\uFEFFPORT=80', '80'],
    ['#\n\n   \n # x\nA="b\nc"\nB=\nPORT=80', '80'],
  ])('%j is read', (text, port) => {
    directory.write('.env', text);
    expect(String(readConfig(directory.path, {}).port)).toBe(port);
  });
});
