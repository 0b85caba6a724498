import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { temporaryFolder } from '../clean-up.js';
import type { Config } from '../../../src/platform/config/config.js';
import { loadConfig } from '../../../src/platform/config/load-config.js';
import { settingsOf } from '../../../src/platform/config/settings.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Parses one YAML document. @throws Error also for warnings and for more than one document */
export function parseStrictly(text: string): unknown {
  const [document, ...more] = parseAllDocuments(text, { strict: true, uniqueKeys: true, merge: true });
  if (!document || !('errors' in document) || more.length > 0) throw new Error('expected one document');
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw problem;
  return document.toJS();
}

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
    WEBHOOK_SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  const files = Object.keys(environment).filter((name) => name.endsWith('_FILE'));
  const created = files.map((name) => {
    const path = join(folder, name);
    writeFileSync(path, values[name.replace(/_FILE$/, '')] ?? '');
    return [name, path];
  });
  return loadConfig({ ...environment, ...Object.fromEntries(created) });
}

interface Manifest {
  apiVersion: string;
  kind: string;
}

/** The manifests of a folder, without its kustomization. */
export function manifestsOf(folder: string): Manifest[] {
  const path = `deploy/kubernetes/${folder}`;
  const files = readdirSync(join(ROOT, path)).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  );
  return files.map((name) => parseStrictly(read(path + name)) as Manifest);
}

/** Compiles manifests as literals of their types: wrong types, missing fields and unknown fields are errors. */
export function schemaErrors(manifests: Manifest[]): string[] {
  const folder = temporaryFolder();
  symlinkSync(`${ROOT}node_modules`, join(folder, 'node_modules'));
  const file = join(folder, 'manifests.mts');
  const lines = manifests.map((each, at) => {
    const type = `import('kubernetes-models/${each.apiVersion}/${each.kind}').I${each.kind}`;
    return `export const manifest${at}: ${type} = ${JSON.stringify(each)};`;
  });
  writeFileSync(file, lines.join('\n'));
  const options = {
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
