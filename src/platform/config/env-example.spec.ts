import { expect, test } from '@jest/globals';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ZodPrefault } from 'zod';
import { loadConfig, readConfig } from './load-config.js';
import { settingsOf } from './settings.js';

const EXAMPLE = new URL('../../../.env.example', import.meta.url);
const [, ...blocks] = readFileSync(EXAMPLE, 'utf8').trimEnd().split('\n\n');

test('.env.example lists every variable with its default and one line of explanation', () => {
  const shown = blocks.map((block) => {
    const parts = /^# (\S.*)\n#([A-Z_]+)=(.*)$/.exec(block);
    return parts ? [parts[2], parts[3]] : block;
  });
  const expected = settingsOf().map(({ name, schema }) => {
    const fallback = schema instanceof ZodPrefault ? schema.def.defaultValue : '';
    return [name, fallback];
  });
  expect(shown).toEqual(expected);
});

test('.env.example changes nothing when it is copied to .env', async () => {
  expect(parseEnv(readFileSync(EXAMPLE, 'utf8'))).toEqual({});
  const directory = mkdtempSync(join(tmpdir(), 'config-'));
  try {
    copyFileSync(EXAMPLE, join(directory, '.env'));
    expect(await readConfig(directory, {})).toEqual(loadConfig({}));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
