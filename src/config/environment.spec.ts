import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, readConfig } from './load-config.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'config-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function problemsOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('.env', () => {
  test('an absent file is no problem', () => {
    expect(readConfig(directory, {})).toStrictEqual(loadConfig({}));
  });

  test('adds its variables, real ones win, and process.env stays as it was', () => {
    file('.env', '# why\nPORT=8080 # here\r\nexport DATA_DIR="a # b"\n\nLOG_LEVEL=\'warn\'\n');
    const env = { LOG_LEVEL: 'debug' };
    const config = readConfig(directory, env);
    expect(config).toStrictEqual(loadConfig({ PORT: '8080', DATA_DIR: 'a # b', LOG_LEVEL: 'debug' }));
    expect(env).toEqual({ LOG_LEVEL: 'debug' });
  });

  test('a real variable wins over the other form of its name, and also when it is empty', () => {
    file('.env', `PORT=1\nHOST_FILE=/nowhere\nLOG_LEVEL=warn\n`);
    const { port, host } = readConfig(directory, { PORT_FILE: file('port', '2'), HOST: '::1' });
    expect([port, host]).toEqual([2, '::1']);
    expect(problemsOf(() => readConfig(directory, { LOG_LEVEL: '', HOST: '::1' }))).toEqual([
      'LOG_LEVEL is set but empty; give a value or unset it',
    ]);
  });

  test('both forms in the file are a problem', () => {
    file('.env', 'PORT=1\nPORT_FILE=/nowhere');
    expect(problemsOf(() => readConfig(directory, {}))).toEqual([
      'PORT and PORT_FILE are both set; keep one',
    ]);
  });

  test('an unreadable file is a problem, reported with the others', () => {
    mkdirSync(join(directory, '.env'));
    expect(problemsOf(() => readConfig(directory, { PORT: 'x' }))).toEqual([
      '.env: expected a readable text file; cannot read it (EISDIR)',
      'PORT: expected a whole number from 0 to 65535, in plain digits; got "x"',
    ]);
  });

  test('a link to a missing file and bytes that are not UTF-8 are problems', () => {
    symlinkSync('nowhere', join(directory, '.env'));
    expect(problemsOf(() => readConfig(directory, {}))).toEqual([
      '.env: expected a readable text file; cannot read it (ENOENT)',
    ]);
    rmSync(join(directory, '.env'));
    file('.env', new Uint8Array([0x41, 0x3d, 0xff]));
    expect(problemsOf(() => readConfig(directory, {}))).toEqual([
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
    file('.env', text);
    expect(String(readConfig(directory, {}).port)).toBe(port);
  });
});
