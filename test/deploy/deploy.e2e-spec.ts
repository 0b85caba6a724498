import { describe, expect, it } from '@jest/globals';
import * as dclint from 'dclint';
import { validate as lintDockerfile } from 'dockerfile-utils';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/clean-up.js';
import { embedded } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import {
  configOf,
  manifestsOf,
  parseStrictly,
  read,
  ROOT,
  schemaErrors,
} from '../support/tools/deployment.js';

/** The types of dclint import files without the suffix that ES modules require. */
const {
  DCLinter,
}: {
  DCLinter: new (config: object) => {
    lintFiles(paths: string[], isRecursive: boolean): { messages: unknown[] }[];
  };
} = dclint;
type Environment = Record<string, string>;

const lines = read('Dockerfile')
  .replace(/\\\n\s*/g, ' ')
  .split('\n');

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

  it('set variables that the service accepts', () => {
    const ofImage = lines
      .filter((line) => line.startsWith('ENV '))
      .flatMap((line) => line.split(' ').slice(1))
      .map((pair) => pair.split('='));
    configOf(Object.fromEntries(ofImage) as Environment);
    const compose = parseStrictly(read('compose.yaml')) as {
      services: { service: { environment: Environment } };
    };
    // Compose passes on the operator's variables, which are empty by default.
    const given = Object.entries(compose.services.service.environment).map(
      ([name, value]): [string, string] => [name, value === `\${${name}:-}` ? '' : value],
    );
    configOf(Object.fromEntries(given));
    const deployment = manifestsOf('').find(({ kind }) => kind === 'Deployment') as unknown as IDeployment;
    const { env = [] } = deployment.spec!.template.spec!.containers[0]!;
    configOf(Object.fromEntries(env.map(({ name, value = '' }) => [name, value])));
  });
});

describe('the image', () => {
  const service = sharedService(embedded);

  it('has a health check that passes only for a ready service', async () => {
    const check = lines.find((line) => line.startsWith('HEALTHCHECK '))!;
    const [, ...args] = JSON.parse(/CMD (\[.*\])$/.exec(check)![1]!) as string[];
    const exitCode = (env: Environment) =>
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
