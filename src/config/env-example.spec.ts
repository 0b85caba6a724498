import { expect, test } from '@jest/globals';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { loadConfig, readConfig } from './load-config.js';
import { SETTINGS } from './settings.js';

const EXAMPLE = new URL('../../.env.example', import.meta.url);
const [, ...blocks] = readFileSync(EXAMPLE, 'utf8').trimEnd().split('\n\n');

test('.env.example lists every variable with its default and one line of explanation', () => {
  const shown = blocks.map((block) => {
    const parts = /^# (\S.*)\n#([A-Z_]+)=(.*)$/.exec(block);
    return parts ? [parts[2], parts[3]] : block;
  });
  const expected = Object.entries(SETTINGS).map(([name, { fallback }]) => [name, fallback ?? '']);
  expect(shown).toEqual(expected);
});

test('.env.example changes nothing when it is copied to .env', () => {
  expect(parseEnv(readFileSync(EXAMPLE, 'utf8'))).toEqual({});
  const directory = mkdtempSync(join(tmpdir(), 'config-'));
  try {
    copyFileSync(EXAMPLE, join(directory, '.env'));
    expect(readConfig(directory, {})).toEqual(loadConfig({}));
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('.env.example shows the defaults of the code', () => {
  const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => /^#\w+=./.test(line));
  const env = parseEnv(lines.map((line) => line.slice(1)).join('\n'));
  expect(Object.keys(env)).not.toHaveLength(0);
  expect(loadConfig(env as NodeJS.ProcessEnv)).toEqual(loadConfig({}));
});
