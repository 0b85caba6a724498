import { expect } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { temporaryFolder } from '../clean-up.js';
import type { Config } from '../../../src/platform/config/config.js';
import { loadConfig } from '../../../src/platform/config/load-config.js';
import { settingsOf } from '../../../src/platform/config/settings.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
export const project = JSON.parse(read('package.json')) as {
  version: string;
  optionalDependencies: Record<string, string>;
};

/** Parses one YAML document. @throws Error also for warnings and for more than one document */
export function parseStrictly(text: string): unknown {
  const [document, ...more] = parseAllDocuments(text, { strict: true, uniqueKeys: true, merge: true });
  if (!document || !('errors' in document) || more.length > 0) throw new Error('expected one document');
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw problem;
  return document.toJS();
}

/** The time that run-service.ts allows open requests after SHUTDOWN_DELAY_MS. */
export const CLOSE_WITHIN_SECONDS = 10;

const SETTINGS = settingsOf();
const SECRETS = SETTINGS.filter(({ isSecret }) => isSecret).map(({ name }) => name);

/** Validates an environment with the service's own rules, and creates the secret files that it names. */
export function configOf(environment: Record<string, string>): Config {
  for (const name of Object.keys(environment)) {
    expect(SETTINGS.map((setting) => setting.name)).toContain(name.replace(/_FILE$/, ''));
    // A manifest names only the files of secrets.
    expect(SECRETS).not.toContain(name);
  }
  const folder = temporaryFolder();
  const values: Record<string, string> = {
    DATABASE_URL: 'postgres://db/animals',
    DATABASE_MIGRATION_URL: 'postgres://db/animals',
    REDIS_URL: 'redis://redis',
  };
  const files = Object.keys(environment).filter((name) => name.endsWith('_FILE'));
  const created = files.map((name) => {
    const path = join(folder, name);
    writeFileSync(path, values[name.replace(/_FILE$/, '')] ?? '');
    return [name, path];
  });
  return loadConfig({ ...environment, ...Object.fromEntries(created) });
}
