import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as dclint from 'dclint';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../src/config/config.js';
import { loadConfig } from '../src/config/load-config.js';
import { SETTINGS } from '../src/config/settings.js';
import { faultsOf, parseStrictly, readManifests } from './support/manifests.js';
import { Service } from './support/service.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const project = JSON.parse(read('package.json')) as { version: string; devDependencies: { node: string } };

/** What run-service.ts gives requests under way, beside SHUTDOWN_DELAY_MS. */
const CLOSE_WITHIN_SECONDS = 10;
/** PostgreSQL's default of 100, less the three it keeps for its superuser. */
const CONNECTIONS = 97;
const PINNED = /:\d+(\.\d+)+(-[a-z]+)?$/;

const SECRETS = Object.entries(SETTINGS).flatMap(([name, { secret }]) => (secret ? [name] : []));

interface ComposeService {
  image: string;
  environment: Record<string, string>;
  secrets: string[];
  ports: string[];
  command: string[];
  stop_grace_period: string;
  healthcheck: unknown;
  depends_on: unknown;
}

interface Compose {
  services: Record<'service' | 'postgres' | 'valkey', ComposeService>;
  secrets: Record<string, unknown>;
}

/** Its own types name their files without the suffix that ES modules ask for. */
const {
  DCLinter,
}: {
  DCLinter: new (config: object) => {
    lintFiles(paths: string[], isRecursive: boolean): { messages: unknown[] }[];
  };
} = dclint;

const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
let service: Service;
beforeAll(async () => {
  service = await Service.start({ DATA_DIR: join(folder, 'data') });
});
afterAll(async () => {
  await Service.killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The service's own judgement of an environment; files of secrets are made to have what they would. */
function configOf(environment: Record<string, string>): Config {
  for (const name of Object.keys(environment)) {
    expect(Object.keys(SETTINGS)).toContain(name.replace(/_FILE$/, ''));
    // A secret is nowhere in a manifest but by the name of a file.
    expect(SECRETS).not.toContain(name);
  }
  const values: Record<string, string> = {
    DATABASE_URL: 'postgres://db/animals',
    REDIS_URL: 'redis://redis',
  };
  const files = Object.keys(environment).filter((name) => name.endsWith('_FILE'));
  const stand = files.map((name) => {
    const path = join(folder, name);
    writeFileSync(path, values[name.replace(/_FILE$/, '')] ?? '');
    return [name, path];
  });
  return loadConfig({ ...environment, ...Object.fromEntries(stand) });
}

describe('Dockerfile', () => {
  const text = read('deploy/Dockerfile');
  const lines = text.replace(/\\\n\s*/g, ' ').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const argument = (instruction: string) =>
    last
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));

  it('passes the linter, which finds what is wrong', () => {
    expect(lintDockerfile(text)).toEqual([]);
    expect(lintDockerfile(text.replace('--interval', '--intervall'))).toHaveLength(1);
  });

  it('builds on the very Node that the project runs on', () => {
    expect(text).toContain(`ARG NODE_VERSION=${project.devDependencies.node}\n`);
    const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
    const debian = 'gcr.io/distroless/cc-debian13:nonroot';
    expect(new Set(bases)).toEqual(new Set(['node:${NODE_VERSION}-trixie-slim', 'base', debian]));
    expect(last).toContain('COPY --from=base /usr/local/bin/node /usr/local/bin/');
  });

  it('runs the service as nobody special, without a shell, on settings that exist', () => {
    expect(argument('USER')).toEqual(['65532:65532']);
    expect(argument('CMD')).toEqual(['["node", "dist/main.js"]']);
    const environment = argument('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
    const config = configOf(Object.fromEntries(environment) as Record<string, string>);
    expect(config).toMatchObject({ production: true, host: '0.0.0.0', database: { dataDir: '/data' } });
    expect(argument('VOLUME')).toEqual(['["/data"]']);
    expect(argument('EXPOSE')).toEqual([String(config.port)]);
  });

  it('copies what exists and what .dockerignore lets through', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    const admitted = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(new Set(copied)).toEqual(new Set(admitted));
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('has a health check that passes for a ready service, and not without one', async () => {
    const [, command = ''] = /CMD (\[.*\])$/.exec(argument('HEALTHCHECK')[0] ?? '') ?? [];
    const [program, ...args] = JSON.parse(command) as string[];
    expect(program).toBe('node');
    const check = (port: string) =>
      new Promise((resolve) => {
        execFile(process.execPath, args, { env: { PORT: port } }, (error) => resolve(error?.code ?? 0));
      });
    expect(await check(new URL(service.url).port)).toBe(0);
    expect(await check('1')).toBe(1);
  });
});

describe('compose.yaml', () => {
  const compose = parseStrictly(read('deploy/compose.yaml')) as Compose;
  const { service: own, postgres, valkey } = compose.services;

  it('follows the schema of compose files and passes the linter', () => {
    // The order of keys is by what belongs together, and `image` names what `build` makes.
    const rules = {
      'service-keys-order': 0,
      'services-alphabetical-order': 0,
      'no-build-and-image': 0,
    } as const;
    const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
    const faultsIn = (path: string) => linter.lintFiles([path], false).flatMap(({ messages }) => messages);
    expect(faultsIn(join(ROOT, 'deploy/compose.yaml'))).toEqual([]);
    const misspelt = join(folder, 'compose.yaml');
    writeFileSync(misspelt, read('deploy/compose.yaml').replace('read_only:', 'readonly:'));
    expect(JSON.stringify(faultsIn(misspelt))).toContain('additional propert');
  });

  it('sets what the service knows, and passwords by file only', () => {
    const config = configOf(own.environment);
    expect(own.ports).toEqual([`127.0.0.1:3000:${config.port}`]);
    expect(parseInt(own.stop_grace_period)).toBeGreaterThan(
      config.shutdownDelayMs / 1000 + CLOSE_WITHIN_SECONDS,
    );
    for (const { secrets } of [own, postgres, valkey]) {
      expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(secrets));
    }
    expect(read('deploy/compose.yaml')).not.toMatch(/PASSWORD:|:\/\/[^/\s]*@/);
    expect(read('.gitignore')).toContain('deploy/secrets*/');
  });

  it('pins images, and waits for what it needs', () => {
    expect(own.image).toBe(`animal-store:${project.version}`);
    for (const { image } of [own, postgres, valkey]) expect(image).toMatch(PINNED);
    for (const { healthcheck } of [postgres, valkey]) expect(healthcheck).toHaveProperty('test');
    const healthy = { condition: 'service_healthy' };
    expect(own.depends_on).toEqual({ postgres: healthy, valkey: healthy });
  });

  it('keeps the counters, and writes to nothing but volumes', () => {
    expect(valkey.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    expect(own).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });
});

describe('Kubernetes manifests', () => {
  const manifests = readManifests();
  const { 'deployment.yaml': deployment, 'horizontal-pod-autoscaler.yaml': autoscaler } = manifests;
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  const config = configOf(environment);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];

  const checked = Object.entries(manifests).filter(([file]) => file !== 'kustomization.yaml');
  it.each(checked)('%s follows its schema', (_file, manifest) => {
    expect(faultsOf(manifest)).toEqual([]);
  });

  it('a misspelt field would be found', () => {
    const wrong = structuredClone(deployment);
    Object.assign(wrong.spec.template.spec.containers[0], { readinesProbe: {} });
    expect(faultsOf(wrong).join()).toContain('readinesProbe');
  });

  it('applies every file but the example of the secret', () => {
    const { resources } = manifests['kustomization.yaml'];
    const applied = checked.map(([file]) => file).filter((file) => file !== 'secret.example.yaml');
    expect([...resources].sort()).toEqual(applied);
  });

  it('asks for paths and ports that the service has', async () => {
    const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports).toEqual(
      new Map([
        ['http', config.port],
        ['metrics', config.metrics.port],
      ]),
    );
    for (const { httpGet } of probes) {
      expect(httpGet.port).toBe('http');
      expect((await fetch(`${service.url}${httpGet.path}`)).status).toBe(200);
    }
    expect(manifests['service.yaml'].spec.ports[0].targetPort).toBe('http');
    const admitted = manifests['network-policy.yaml'].spec.ingress.flatMap(({ ports: named }) => named);
    expect(admitted.map(({ port }) => port)).toEqual([...ports.keys()]);
  });

  it('restarts nothing because the database is away', () => {
    const paths = probes.map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
  });

  it('gives a pod the time it takes to stop', () => {
    const taken =
      container.lifecycle.preStop.sleep.seconds + config.shutdownDelayMs / 1000 + CLOSE_WITHIN_SECONDS;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(taken);
  });

  it('stays under the connections of PostgreSQL while replicas are replaced', () => {
    const replicas = autoscaler.spec.maxReplicas + deployment.spec.strategy.rollingUpdate.maxSurge;
    expect(replicas * config.database.poolSize).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('mounts the secret as the files that the settings name', () => {
    const mountPath = container.volumeMounts[0]?.mountPath ?? '';
    const names = Object.keys(manifests['secret.example.yaml'].stringData);
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, path]) => path)).toEqual(names.map((name) => `${mountPath}/${name}`));
    expect(pod.volumes[0].secret.secretName).toBe(manifests['secret.example.yaml'].metadata.name);
    expect(read('deploy/kubernetes/secret.example.yaml')).toMatch(/:PASSWORD@.*\n.*:PASSWORD@/);
  });

  it('runs without privileges, on a pinned image', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.image).toMatch(new RegExp(`/animal-store:${project.version.replaceAll('.', '\\.')}$`));
    expect(container.resources).toMatchObject({ requests: {}, limits: {} });
  });

  it('speaks of one set of pods everywhere', () => {
    const labels = deployment.spec.template.metadata.labels;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(manifests['service.yaml'].spec.selector).toEqual(labels);
    expect(manifests['pod-disruption-budget.yaml'].spec.selector.matchLabels).toEqual(labels);
    expect(manifests['network-policy.yaml'].spec.podSelector.matchLabels).toEqual(labels);
    expect(autoscaler.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  });
});
