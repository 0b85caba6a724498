import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, readConfig } from './load-config.js';
import { settingsOf } from './settings.js';

const NAMES = settingsOf().map(({ name }) => name);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'config-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Writes a file and returns its path. */
function write(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function problemsOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

async function problemsOfRead(read: () => Promise<unknown>): Promise<string[]> {
  const error = await read().catch((reason: unknown) => reason);
  return problemsOf(() => {
    if (error instanceof Error) throw error;
  });
}

const DATABASE_URL = 'postgres://db/animals';
const REDIS_URL = 'redis://a';
const SEVERAL = 'redis://a/0,redis://b/';
const SAME_PORT = 'METRICS_PORT: expected another port than PORT has, got 3000';
const ONE_URL =
  'REDIS_URL: expected exactly one URL without REDIS_CLUSTER and REDIS_SENTINEL_MASTER; its value is not shown';
const DATABASE_0 =
  'REDIS_URL: expected no database number other than 0 with REDIS_CLUSTER; its value is not shown';
const NO_SENTINEL = 'REDIS_SENTINEL_MASTER is set, but REDIS_URL is not set';
const EITHER = 'REDIS_SENTINEL_MASTER and REDIS_CLUSTER exclude each other';

const problems = (env: NodeJS.ProcessEnv) => problemsOf(() => loadConfig(env));

const DEFAULTS = {
  host: '127.0.0.1',
  port: 3000,
  production: false,
  database: { server: undefined, migrationServer: undefined, dataDir: './data', poolSize: 8 },
  redis: { urls: [], cluster: false, sentinelMaster: undefined },
  keepAliveMs: 72_000,
  usageRetentionDays: 400,
  events: true,
  eventRetentionDays: 30,
  webhooks: { secretsKey: undefined, delivery: true, allowedNetworks: [] },
  orderHoldMinutes: 1_440,
  shutdownDelayMs: 1000,
  metrics: { port: undefined, host: '127.0.0.1' },
  traces: { endpoint: undefined, tracesEndpoint: undefined, exporter: 'otlp', isDisabled: false },
  publicBaseUrl: undefined,
  stagingBaseUrl: undefined,
  corsOrigins: [],
  trustProxy: false,
  anonymousPerMinute: 300,
  enforceSunset: false,
  sunsetBrownouts: [],
  sandbox: false,
  logLevel: 'info',
};

describe('loadConfig', () => {
  test('returns the defaults, and undefined for unset settings, whatever other variables hold', () => {
    expect(loadConfig({ PATH: '', PORTS: 'x', HOME: '/' })).toStrictEqual(DEFAULTS);
  });

  test('reports all mistakes together, one line each', () => {
    const env = {
      PORT: 'a\nb',
      LOG_LEVEL: 'loud',
      HOST: 'a b',
      REDIS_CLUSTER: 'true',
      DATA_DIR: 'x',
      // It is not opened.
      DATA_DIR_FILE: '/nowhere',
    };
    expect(problems(env)).toEqual([
      'HOST: expected a host name or an IP address, without port or brackets; got "a b"',
      'PORT: expected a whole number from 0 to 65535, in plain digits; got "a\\nb"',
      'DATA_DIR and DATA_DIR_FILE are both set; keep one',
      'LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent; got "loud"',
      'REDIS_CLUSTER is true, but REDIS_URL is not set',
    ]);
    expect(() => loadConfig(env)).toThrow(problems(env).join('\n'));
  });

  test.each(NAMES)('takes an empty %s for an unset one, in both forms', (name) => {
    expect(loadConfig({ [name]: '', [`${name}_FILE`]: '' })).toStrictEqual(DEFAULTS);
    expect(loadConfig({ [name]: ' \n' })).toStrictEqual(DEFAULTS);
  });
});

describe('a configuration problem', () => {
  test.each(['DATABASE_URL', 'DATABASE_MIGRATION_URL', 'REDIS_URL', 'WEBHOOK_SECRETS_KEY'])(
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
    const line = problems({ PUBLIC_BASE_URL: 'https://host/v1?token=hunter2' }).join();
    expect(line).toMatch(/; its value is not shown$/);
    expect(problems({ PUBLIC_BASE_URL: 'https://host' }).join()).toMatch(/; got "https:\/\/host"$/);
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
  test.each([
    ['8080', 8080],
    ['8080\n', 8080],
    ['8080\r\n', 8080],
  ])('with the content %j gives %d', (content, port) => {
    expect(loadConfig({ PORT_FILE: write('port', content) }).port).toBe(port);
  });

  test('loses only one line end, and its content is never shown', () => {
    expect(problems({ PORT_FILE: write('port', '8080\n\n') })).toEqual([
      "PORT_FILE: expected a whole number from 0 to 65535, in plain digits; the file's content is not shown",
    ]);
    const lists = {
      CORS_ORIGINS_FILE: write('a', 'hunter2,*'),
      TRUST_PROXY_FILE: write('b', 'hunter2'),
    };
    expect(problems(lists)).toHaveLength(2);
    expect(problems(lists).join()).not.toContain('hunter2');
  });

  test('must not be empty, a directory or other than UTF-8', () => {
    expect(problems({ PORT_FILE: write('empty', '\n') })).toEqual([
      'PORT_FILE names a file that is empty; give a value or unset it',
    ]);
    expect(problems({ PORT_FILE: directory })).toEqual([
      `PORT_FILE: expected a readable text file; cannot read ${JSON.stringify(directory)} (EISDIR)`,
    ]);
    const bytes = write('bytes', new Uint8Array([0x2e, 0xff]));
    expect(problems({ DATA_DIR_FILE: bytes })[0]).toMatch(/\(not UTF-8\)$/);
  });
});

test.each<[NodeJS.ProcessEnv, string[]]>([
  [{ PORT: '3000', METRICS_PORT: '3000' }, [SAME_PORT]],
  [{ PORT: '3000', METRICS_PORT: '3000', METRICS_HOST: '::' }, [SAME_PORT]],
  [{ HOST: '0.0.0.0', PORT: '3000', METRICS_PORT: '3000' }, [SAME_PORT]],
  [{ PORT: '3000', METRICS_PORT: '3000', METRICS_HOST: '127.0.0.2' }, []],
  [{ PORT: '0', METRICS_PORT: '0' }, []],
  [{ DATABASE_MIGRATION_URL: DATABASE_URL }, ['DATABASE_MIGRATION_URL is set, but DATABASE_URL is not set']],
  [{ REDIS_URL: SEVERAL }, [ONE_URL]],
  [{ REDIS_URL: SEVERAL, REDIS_CLUSTER: 'true' }, []],
  [{ REDIS_URL: SEVERAL, REDIS_SENTINEL_MASTER: 'limits' }, []],
  [{ REDIS_URL: 'redis://a,redis://b/3', REDIS_CLUSTER: 'true' }, [DATABASE_0]],
  [{ REDIS_SENTINEL_MASTER: 'limits' }, [NO_SENTINEL]],
  [{ REDIS_URL, REDIS_CLUSTER: 'true', REDIS_SENTINEL_MASTER: 'limits' }, [EITHER]],
])('settings that contradict each other are reported: %j', (env, expected) => {
  expect(problems(env)).toEqual(expected);
});

test.each<NodeJS.ProcessEnv>([
  { REDIS_URL: SEVERAL, REDIS_CLUSTER: 'yes' },
  { REDIS_URL: 'x', REDIS_CLUSTER: 'true' },
  { REDIS_URL_FILE: '/nowhere', REDIS_CLUSTER: 'true' },
])('an invalid setting contradicts no other one: %j', (env) => expect(problems(env)).toHaveLength(1));

describe('a name to listen on', () => {
  const HOST = 'no-such-host.invalid';
  const problem = (name: string) =>
    expect.stringMatching(
      new RegExp(
        `^${name}: expected a name that has an address, or an IP address; the name does not resolve`,
      ),
    );

  test('is refused with the other mistakes when it does not resolve', async () => {
    const env = { HOST, METRICS_HOST: HOST, METRICS_PORT: '9464', PORT: 'x' };
    expect(await problemsOfRead(() => readConfig(directory, env))).toEqual([
      expect.stringMatching(/^PORT: /),
      problem('HOST'),
      problem('METRICS_HOST'),
    ]);
  });

  test('is not resolved for a port that is off', async () => {
    expect((await readConfig(directory, { METRICS_HOST: HOST, HOST: 'localhost' })).host).toBe('localhost');
  });
});

describe('.env', () => {
  test('is optional', async () => {
    expect(await readConfig(directory, {})).toStrictEqual(loadConfig({}));
  });

  test('adds variables without precedence over real ones, and does not change process.env', async () => {
    write('.env', '\uFEFF# why\nPORT=8080 # here\r\nexport DATA_DIR="a # b"\n\nLOG_LEVEL=\'warn\'\n');
    const env = { LOG_LEVEL: 'debug' };
    const config = await readConfig(directory, env);
    expect(config).toStrictEqual(loadConfig({ PORT: '8080', DATA_DIR: 'a # b', LOG_LEVEL: 'debug' }));
    expect(env).toEqual({ LOG_LEVEL: 'debug' });
  });

  test('has no precedence over a real variable, in either form, unless that is empty', async () => {
    write('.env', `PORT=1\nHOST_FILE=/nowhere\nLOG_LEVEL=warn\n`);
    const env = { PORT_FILE: write('port', '2'), HOST: '::1', LOG_LEVEL: '' };
    const { port, host, logLevel } = await readConfig(directory, env);
    expect([port, host, logLevel]).toEqual([2, '::1', 'warn']);
  });

  test('names each variable that is no setting, and none that compose.yaml uses', async () => {
    write(
      '.env',
      'LOG_LEVLE=debug\nPORT=x\nSITE_ADDRESS=a.example\nCOMPOSE_PROFILES=monitoring\nREDIS_URL_FILE=',
    );
    expect(await problemsOfRead(() => readConfig(directory, { UNKNOWN: 'x' }))).toEqual([
      '.env: there is no setting "LOG_LEVLE"',
      'PORT: expected a whole number from 0 to 65535, in plain digits; got "x"',
    ]);
  });

  test('must not set both forms of a variable', async () => {
    write('.env', 'PORT=1\nPORT_FILE=/nowhere');
    expect(await problemsOfRead(() => readConfig(directory, {}))).toEqual([
      'PORT and PORT_FILE are both set; keep one',
    ]);
  });

  test.each<[string, (path: string) => void]>([
    ['EISDIR', mkdirSync],
    ['ENOENT', (path) => symlinkSync('nowhere', path)],
    ['not UTF-8', (path) => writeFileSync(path, new Uint8Array([0x41, 0x3d, 0xff]))],
  ])('is reported with the other problems if it cannot be read (%s)', async (reason, make) => {
    make(join(directory, '.env'));
    expect(await problemsOfRead(() => readConfig(directory, { PORT: 'x' }))).toEqual([
      `.env: expected a readable text file; cannot read it (${reason})`,
      'PORT: expected a whole number from 0 to 65535, in plain digits; got "x"',
    ]);
  });
});
