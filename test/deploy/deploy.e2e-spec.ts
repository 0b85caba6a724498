import { describe, expect, it } from '@jest/globals';
import * as dclint from 'dclint';
import { validate as lintDockerfile } from 'dockerfile-utils';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/clean-up.js';
import { embedded } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The types of dclint import files without the suffix that ES modules require. */
const {
  DCLinter,
}: {
  DCLinter: new (config: object) => {
    lintFiles(paths: string[], isRecursive: boolean): { messages: unknown[] }[];
  };
} = dclint;

interface Manifest {
  apiVersion: string;
  kind: string;
}

/** The manifests of a folder, without its kustomization. */
function manifestsOf(folder: string): Manifest[] {
  const path = `deploy/kubernetes/${folder}`;
  const names = readdirSync(join(ROOT, path)).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  );
  return names.map((name) => parse(read(path + name), { uniqueKeys: true }) as Manifest);
}

/** Compiles manifests as literals of their types: wrong types, missing fields and unknown fields are errors. */
function schemaErrors(manifests: Manifest[]): string[] {
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

describe('files of a deployment', () => {
  it('pass their linters', () => {
    expect(lintDockerfile(read('Dockerfile'))).toEqual([]);
    // Related keys are grouped, `image` names the result of `build`, and the linter does not read the default of a variable.
    const rules = {
      'service-keys-order': 0,
      'services-alphabetical-order': 0,
      'no-build-and-image': 0,
      'no-unbound-port-interfaces': 0,
    };
    const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
    const [result] = linter.lintFiles([join(ROOT, 'compose.yaml')], false);
    expect(result?.messages ?? []).toEqual([]);
  });

  it('follow the schema of Kubernetes, which finds a misspelt field', () => {
    const manifests = ['', 'pooler/'].flatMap(manifestsOf);
    const wrong = structuredClone(
      manifests.find(({ kind }) => kind === 'Deployment'),
    ) as unknown as IDeployment;
    Object.assign(wrong.spec!.template.spec!.containers[0]!, { readinesProbe: {} });
    expect(schemaErrors([wrong, ...manifests])).toEqual([expect.stringContaining('readinesProbe')]);
  });
});

describe('the image', () => {
  const service = sharedService(embedded);

  it('has a health check that passes only for a ready service', async () => {
    const lines = read('Dockerfile').replaceAll(/\\\n\s*/g, ' ');
    const [, ...args] = JSON.parse(/^HEALTHCHECK .*CMD (\[.*\])$/m.exec(lines)![1]!) as string[];
    const exitCode = (env: Record<string, string>) =>
      new Promise((resolve) => {
        execFile(process.execPath, args, { env }, (error) => resolve(error?.code ?? 0));
      });
    const { port } = new URL(service.url);
    expect(await exitCode({ PORT: port })).toBe(0);
    expect(await exitCode({ PORT: '1' })).toBe(1);
    const file = join(temporaryFolder(), 'port');
    writeFileSync(file, `${port}\n`);
    expect(await exitCode({ PORT_FILE: file })).toBe(0);
  });
});

it('compose.yaml generates its passwords once', () => {
  const secrets = temporaryFolder();
  const script = read('deploy/compose/make-secrets.sh').replace('/run/secrets', secrets);
  const run = () => {
    execFileSync('sh', ['-c', script]);
    return readdirSync(secrets).map((name) => [name, readFileSync(join(secrets, name), 'utf8')]);
  };
  const made = run();
  expect(run()).toEqual(made);
  const { postgres_password, database_url } = Object.fromEntries(made) as Record<string, string>;
  expect(postgres_password).toMatch(/^[0-9a-f]{48}$/);
  expect(new URL(database_url!).password).toBe(postgres_password);
});
