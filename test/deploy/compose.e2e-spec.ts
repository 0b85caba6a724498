import { describe, expect, it } from '@jest/globals';
import * as dclint from 'dclint';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsOf } from '../../src/platform/config/settings.js';
import { temporaryFolder } from '../support/clean-up.js';
import {
  CLOSE_WITHIN_SECONDS,
  configOf,
  parseStrictly,
  project,
  read,
  ROOT,
} from '../support/tools/deployment.js';

const PINNED = /:v?\d+(\.\d+)+(-[a-z]+)?@sha256:[0-9a-f]{64}$/;

interface ComposeService {
  image: string;
  environment: Record<string, string>;
  volumes?: string[];
  profiles?: string[];
  ports?: string[];
  command: string[];
  stop_grace_period: string;
  healthcheck: unknown;
  depends_on: unknown;
}

interface Compose {
  services: Record<
    | 'secrets'
    | 'proxy'
    | 'service'
    | 'first-key'
    | 'postgres'
    | 'valkey'
    | 'prometheus'
    | 'alertmanager'
    | 'grafana',
    ComposeService
  >;
}

/** The types of dclint import files without the suffix that ES modules require. */
const {
  DCLinter,
}: {
  DCLinter: new (config: object) => {
    lintFiles(paths: string[], isRecursive: boolean): { messages: unknown[] }[];
  };
} = dclint;

describe('compose.yaml', () => {
  const compose = parseStrictly(read('compose.yaml')) as Compose;
  const { service: own, postgres, valkey } = compose.services;

  it('follows the schema of compose files and passes the linter', () => {
    // Related keys are grouped, `image` names the result of `build`, and the linter does not read the default of a variable.
    const rules = {
      'service-keys-order': 0,
      'services-alphabetical-order': 0,
      'no-build-and-image': 0,
      'no-unbound-port-interfaces': 0,
    } as const;
    const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
    const [result] = linter.lintFiles([join(ROOT, 'compose.yaml')], false);
    expect(result?.messages ?? []).toEqual([]);
  });

  it("sets only known variables, passes on the operator's, and has passwords only as files", () => {
    const passedOn = Object.entries(own.environment).filter(([, value]) => value.startsWith('${'));
    for (const [name, value] of passedOn) expect(value).toBe(`\${${name}:-}`);
    const config = configOf({
      ...own.environment,
      ...Object.fromEntries(passedOn.map(([name]) => [name, ''])),
    });
    const fixed = 'NODE_ENV HOST PORT DATABASE_MIGRATION_URL DATA_DIR REDIS_CLUSTER REDIS_SENTINEL_MASTER';
    const given = Object.keys(own.environment).map((name) => name.replace(/_FILE$/, ''));
    expect([...given, ...fixed.split(' ')].sort()).toEqual(
      settingsOf()
        .map(({ name }) => name)
        .sort(),
    );
    for (const { ports = [] } of Object.values(compose.services))
      for (const port of ports) expect(port).toMatch(/^(127\.0\.0\.1|\$\{SITE_IP:-127\.0\.0\.1\}):/);
    const caddyfile = read('deploy/compose/Caddyfile');
    expect(caddyfile).toContain(`port {$REPLICA_PORT:${config.port}}`);
    expect(Number(/keepalive (\d+)s/.exec(caddyfile)![1])).toBeLessThan(config.keepAliveMs / 1000);
    expect(parseInt(own.stop_grace_period)).toBeGreaterThan(
      config.shutdownDelayMs / 1000 + CLOSE_WITHIN_SECONDS,
    );
    // `make-secrets.sh` writes every file that a container reads.
    const script = read('deploy/compose/make-secrets.sh');
    const files = read('compose.yaml').matchAll(/\/run\/secrets\/(\w+)/g);
    for (const [, file] of files) expect(script).toMatch(new RegExp(`>${file!}(\\.new)?\\n`));
    expect(read('compose.yaml')).not.toMatch(/PASSWORD:|:\/\/[^/\s]*@/);
  });

  it('pins images, and starts the service after its dependencies', () => {
    expect(own.image).toBe(`animal-store:${project.version}`);
    const images = Object.values(compose.services).map(({ image }) => image);
    expect(images.filter((image) => image !== own.image && !PINNED.test(image))).toEqual(['caddy:2.10.2']);
    for (const { healthcheck } of [postgres, valkey]) expect(healthcheck).toHaveProperty('test');
    const healthy = { condition: 'service_healthy' };
    const secrets = { condition: 'service_completed_successfully' };
    expect(own.depends_on).toEqual({ secrets, postgres: healthy, valkey: healthy });
  });

  it('persists the counters, and makes every file system outside volumes read-only', () => {
    expect(valkey.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    for (const each of Object.values(compose.services)) {
      expect(each).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('generates its passwords once', () => {
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

  it('prints the command that creates the first key', () => {
    const said = /docker compose exec service (node dist\/cli\.js keys create .*)'\)/.exec(
      compose.services['first-key'].command.at(-1)!,
    );
    expect(said?.[1]).toBe('node dist/cli.js keys create --name me --plan free');
  });

  it('loads the dashboard and the alerts with the profile `monitoring`', () => {
    const { prometheus, alertmanager, grafana } = compose.services;
    for (const { profiles } of [prometheus, alertmanager, grafana]) expect(profiles).toEqual(['monitoring']);
    expect(parseStrictly(read('deploy/prometheus/prometheus.yaml'))).toMatchObject({
      alerting: { alertmanagers: [{ static_configs: [{ targets: ['alertmanager:9093'] }] }] },
      scrape_configs: [{ static_configs: [{ targets: [`service:${own.environment.METRICS_PORT}`] }] }],
    });
    const dashboards = grafana.volumes!.find((mount) => mount.startsWith('./deploy/grafana/dashboards:'));
    expect(parseStrictly(read('deploy/grafana/provisioning/dashboards/animal-store.yaml'))).toMatchObject({
      providers: [{ options: { path: dashboards?.split(':')[1] } }],
    });
    const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const sources = mounts.map((mount) => mount.split(':')[0]!).filter((source) => source.startsWith('./'));
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
  });
});
