import { describe, expect, test } from '@jest/globals';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { TestDirectory, problems } from './config-under-test.js';
import { loadConfig } from './load-config.js';
import { SETTINGS } from './settings.js';

const directory = new TestDirectory();

const DEFAULTS = {
  host: '127.0.0.1',
  port: 3000,
  production: false,
  database: { url: undefined, migrationUrl: undefined, pooler: 'session', dataDir: './data', poolSize: 8 },
  redis: { urls: [], cluster: false, sentinelMaster: undefined },
  workers: 1,
  maxConnections: 10_000,
  usageRetentionDays: 400,
  shutdownDelayMs: 1000,
  metrics: { port: undefined, host: '127.0.0.1' },
  traces: { endpoint: undefined, sampler: 'parentbased_always_on', sampledShare: 1 },
  publicBaseUrl: undefined,
  stagingBaseUrl: undefined,
  corsOrigins: [],
  trustProxy: false,
  anonymousPerMinute: 300,
  enforceSunset: false,
  logLevel: 'info',
};

describe('loadConfig', () => {
  test('returns the defaults, and undefined for unset settings, for an empty environment', () => {
    expect(loadConfig({})).toStrictEqual(DEFAULTS);
  });

  test('reads every variable into its property', () => {
    const env = {
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '8080',
      DATABASE_URL: 'postgres://db/animals',
      DATABASE_MIGRATION_URL: 'postgres://direct/animals',
      DATABASE_POOLER: 'transaction',
      DATA_DIR: '/var/lib/animals',
      DATABASE_POOL_SIZE: '20',
      REDIS_URL: 'redis://a,redis://b',
      REDIS_CLUSTER: 'false',
      REDIS_SENTINEL_MASTER: 'limits',
      WORKERS: '4',
      MAX_CONNECTIONS: '500',
      USAGE_RETENTION_DAYS: '90',
      SHUTDOWN_DELAY_MS: '5000',
      METRICS_PORT: '9464',
      METRICS_HOST: '10.0.0.1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      PUBLIC_BASE_URL: 'https://api.example.com/v1',
      STAGING_BASE_URL: 'https://staging.example.com/v1',
      CORS_ORIGINS: 'https://shop.example.com',
      TRUST_PROXY: '10.0.0.0/8',
      ANONYMOUS_PER_MINUTE: '42',
      ENFORCE_SUNSET: 'true',
      LOG_LEVEL: 'warn',
    };
    expect(Object.keys(env)).toEqual(Object.keys(SETTINGS));
    expect(loadConfig(env)).toStrictEqual({
      host: '0.0.0.0',
      port: 8080,
      production: true,
      database: {
        url: 'postgres://db/animals',
        migrationUrl: 'postgres://direct/animals',
        pooler: 'transaction',
        dataDir: '/var/lib/animals',
        poolSize: 20,
      },
      redis: { urls: ['redis://a', 'redis://b'], cluster: false, sentinelMaster: 'limits' },
      workers: 4,
      maxConnections: 500,
      usageRetentionDays: 90,
      shutdownDelayMs: 5000,
      metrics: { port: 9464, host: '10.0.0.1' },
      traces: { endpoint: 'http://collector:4318', sampler: 'traceidratio', sampledShare: 0.25 },
      publicBaseUrl: 'https://api.example.com/v1',
      stagingBaseUrl: 'https://staging.example.com/v1',
      corsOrigins: ['https://shop.example.com'],
      trustProxy: ['10.0.0.0/8'],
      anonymousPerMinute: 42,
      enforceSunset: true,
      logLevel: 'warn',
    });
  });

  test('recognizes production only by the exact word', () => {
    expect(loadConfig({ NODE_ENV: 'Production' }).production).toBe(false);
  });

  test.each([
    [{ PORT: '3000', METRICS_PORT: '3000' }, true],
    [{ PORT: '3000', METRICS_PORT: '3000', METRICS_HOST: '::' }, true],
    [{ HOST: '0.0.0.0', PORT: '3000', METRICS_PORT: '3000' }, true],
    [{ PORT: '3000', METRICS_PORT: '3001' }, false],
    [{ PORT: '3000', METRICS_PORT: '3000', METRICS_HOST: '127.0.0.2' }, false],
    [{ PORT: '0', METRICS_PORT: '0' }, false],
  ])('refuses to listen twice on one address: %j, %s', (env, isRefused) => {
    const line = 'METRICS_PORT: expected another port than PORT has, got 3000';
    expect(problems(env)).toEqual(isRefused ? [line] : []);
  });

  test('reads METRICS_PORT 0 as a port', () => {
    expect(loadConfig({ METRICS_PORT: '0' }).metrics.port).toBe(0);
  });

  test('ignores other variables, empty or not', () => {
    expect(loadConfig({ PATH: '', PORTS: 'x', HOME: '/' })).toStrictEqual(DEFAULTS);
  });

  test('reports all mistakes together, one line each', () => {
    const env = {
      PORT: 'a\nb',
      LOG_LEVEL: 'loud',
      HOST: '',
      REDIS_CLUSTER: 'true',
      DATA_DIR: 'x',
      DATA_DIR_FILE: 'y',
    };
    expect(problems(env)).toEqual([
      'HOST is set but empty; give a value or unset it',
      'PORT: expected a whole number from 0 to 65535, in plain digits; got "a\\nb"',
      'DATA_DIR and DATA_DIR_FILE are both set; keep one',
      'LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent; got "loud"',
      'REDIS_CLUSTER is true, but REDIS_URL, which lists the seed nodes, is not set',
    ]);
    expect(() => loadConfig(env)).toThrow(problems(env).join('\n'));
  });

  const SERVERS = { DATABASE_URL: 'postgres://db/animals', REDIS_URL: 'redis://a' };
  const MISSING = {
    database: 'WORKERS is more than 1, but DATABASE_URL, which all workers use, is not set',
    redis: 'WORKERS is more than 1, but REDIS_URL, which all workers use, is not set',
  };

  test.each<[NodeJS.ProcessEnv, string[]]>([
    [{ WORKERS: '2' }, [MISSING.database, MISSING.redis]],
    [{ WORKERS: '2', DATABASE_URL: SERVERS.DATABASE_URL }, [MISSING.redis]],
    [{ WORKERS: '2', REDIS_URL: SERVERS.REDIS_URL }, [MISSING.database]],
    [{ WORKERS: '2', ...SERVERS }, []],
    [{ WORKERS: '1' }, []],
    [{ WORKERS: 'auto' }, availableParallelism() > 1 ? [MISSING.database, MISSING.redis] : []],
    [{ WORKERS: '0' }, ['WORKERS: expected auto, or a whole number from 1 to 256; got "0"']],
    [{ WORKERS: 'all' }, ['WORKERS: expected auto, or a whole number from 1 to 256; got "all"']],
  ])('requires a shared database and Redis for several workers: %j', (env, expected) => {
    expect(problems(env)).toEqual(expected);
  });

  test('reads WORKERS=auto as one worker per core', () => {
    expect(loadConfig({ WORKERS: 'auto', ...SERVERS }).workers).toBe(availableParallelism());
  });

  test.each(Object.keys(SETTINGS))('refuses an empty %s', (name) => {
    const line = `${name} is set but empty; give a value or unset it`;
    expect(problems({ [name]: '' })).toEqual([line]);
    expect(problems({ [name]: ' \n' })).toEqual([line]);
    expect(problems({ [`${name}_FILE`]: '' })).toEqual([
      `${name}_FILE is set but empty; give a path or unset it`,
    ]);
  });
});

describe('a configuration problem', () => {
  test.each(['DATABASE_URL', 'DATABASE_MIGRATION_URL', 'REDIS_URL'])(
    'never shows the value of %s, nor a secret given as its _FILE',
    (name) => {
      for (const text of [
        'postgre://u:hunter2@h/db',
        'redi://:hunter2@h',
        'hunter2',
        'redis://:hunter2@h:x,redis://h',
      ]) {
        const [line, ...more] = problems({ [name]: text });
        expect(line).toMatch(new RegExp(`^${name}: expected .*; its value is not shown$`));
        const [fileLine] = problems({ [`${name}_FILE`]: text });
        expect(fileLine).toBe(
          `${name}_FILE: expected a readable text file; cannot read the file it names (ENOENT)`,
        );
        expect([line, fileLine, ...more].join()).not.toContain('hunter2');
      }
    },
  );

  test('shows no credentials and no query of a URL', () => {
    const got = (text: string) => problems({ PUBLIC_BASE_URL: text }).join().split('; got ')[1];
    expect(got('https://u:hun/ter2@host/v1')).toBe('"***@host/v1"');
    expect(got('https://host/v1?token=hunter2')).toBe('"https://host/v1?***"');
  });

  test('is one short line without terminal control characters', () => {
    expect(problems({ PORT: '\u001b[2J\u009b\u2028' })).toEqual([
      'PORT: expected a whole number from 0 to 65535, in plain digits; got "\\u001b[2J\\u009b\\u2028"',
    ]);
    const [line] = problems({ PORT: 'x'.repeat(5000) });
    expect(line).toMatch(/; got "x{100}…"$/);
  });
});

describe('NAME_FILE', () => {
  test.each(Object.keys(SETTINGS))('is read for %s', (name) => {
    const [line] = problems({ [`${name}_FILE`]: join(directory.path, 'absent') });
    expect(line).toMatch(
      new RegExp(`^${name}_FILE: expected a readable text file; cannot read .* \\(ENOENT\\)$`),
    );
  });

  test.each([
    ['8080', 8080],
    ['8080\n', 8080],
    ['8080\r\n', 8080],
  ])('with the content %j gives %d', (content, port) => {
    expect(loadConfig({ PORT_FILE: directory.write('port', content) }).port).toBe(port);
  });

  test('loses only one line end, and its content is never shown', () => {
    expect(problems({ PORT_FILE: directory.write('port', '8080\n\n') })).toEqual([
      "PORT_FILE: expected a whole number from 0 to 65535, in plain digits; the file's content is not shown",
    ]);
    const lists = {
      CORS_ORIGINS_FILE: directory.write('a', 'hunter2,*'),
      TRUST_PROXY_FILE: directory.write('b', 'hunter2'),
    };
    expect(problems(lists)).toHaveLength(2);
    expect(problems(lists).join()).not.toContain('hunter2');
  });

  test('must not be empty, a directory or other than UTF-8', () => {
    expect(problems({ PORT_FILE: directory.write('empty', '\n') })).toEqual([
      'PORT_FILE names a file that is empty; give a value or unset it',
    ]);
    expect(problems({ PORT_FILE: directory.path })).toEqual([
      `PORT_FILE: expected a readable text file; cannot read ${JSON.stringify(directory.path)} (EISDIR)`,
    ]);
    const bytes = directory.write('bytes', new Uint8Array([0x2e, 0xff]));
    expect(problems({ DATA_DIR_FILE: bytes })[0]).toMatch(/\(not UTF-8\)$/);
  });

  test('is not opened and is a problem if the variable is set too', () => {
    expect(problems({ PORT: '80', PORT_FILE: '/nowhere' })).toEqual([
      'PORT and PORT_FILE are both set; keep one',
    ]);
  });
});
