import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './load-config.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes a file with this content and returns its path. */
function file(content: string): string {
  const path = join(directory, 'url');
  writeFileSync(path, content);
  return path;
}

function problems(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** Every setting that takes a URL, with the scheme and the path that it expects. */
const URL_SETTINGS = [
  ['DATABASE_URL', 'postgres', '/db'],
  ['DATABASE_MIGRATION_URL', 'postgres', '/db'],
  ['REDIS_URL', 'redis', '/0'],
  ['REDIS_URL', 'rediss', ''],
  ['PUBLIC_BASE_URL', 'https', '/v1'],
  ['STAGING_BASE_URL', 'https', '/v1'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http', ''],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http', ''],
] as const;
/** Passwords that must be percent-encoded. Each piece of them, between the special characters, would show in a message. */
const PASSWORDS = [
  'Hu@nter2/abc',
  'p@ss#w0rd',
  '7#Secret',
  '12?Secret',
  'a/Secret',
  '8\\Secret',
  '5@Secret',
  '100%Secret',
];

/** What a setting needs beside it. */
const OTHERS: Record<string, NodeJS.ProcessEnv> = {
  DATABASE_MIGRATION_URL: { DATABASE_URL: 'postgres://db/animals' },
};

describe.each(URL_SETTINGS)('a password that is not percent-encoded in %s (%s)', (name, scheme, path) => {
  test.each(PASSWORDS)('is refused without a piece of it: %s', (password) => {
    for (const user of ['', 'u'])
      for (const host of ['host', 'host:1'])
        for (const ending of [path, `${path}?a=b`]) {
          const url = `${scheme}://${user}:${password}@${host}${ending}`;
          const ofFile = problems({
            ...OTHERS[name],
            [`${name}_FILE`]: file(url),
          });
          const direct = problems({
            ...OTHERS[name],
            [name]: url,
          });
          // A secret given as a path.
          const asPath = problems({ [`${name}_FILE`]: url });
          for (const lines of [ofFile, direct]) {
            expect(lines).toHaveLength(1);
            expect(lines[0]).toMatch(/percent-encoded/);
          }
          for (const piece of ['Secret', 'nter2', 'w0rd', 'Hu@', '12?', '7#'])
            expect([...direct, ...ofFile, ...asPath].join('\n')).not.toContain(piece);
        }
  });
});
