import { join } from 'node:path';
import type { Config } from './config.js';
import { withDotenv, type Environment } from './dotenv.js';
import { type SettingName, type Settings, SETTINGS } from './settings.js';
import { readText, reasonOf } from './text-file.js';

/** The environment is wrong; `problems` holds every mistake, one line each, none with a secret in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

/** What the entrances call: the environment, completed by the `.env` file of the directory when there is one. */
export function readConfig(directory = process.cwd(), env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [];
  return configFrom(withDotenv(join(directory, '.env'), env, problems), problems);
}

/** The settings of this environment alone; throws `ConfigError` with every mistake in it. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return configFrom(env, []);
}

function configFrom(env: Environment, problems: string[]): Config {
  const names = Object.keys(SETTINGS) as SettingName[];
  const found: Partial<Settings> = Object.fromEntries(
    names.map((name) => [name, readSetting(name, env, problems)]),
  );
  if (found.REDIS_CLUSTER === true && env.REDIS_URL === undefined && env.REDIS_URL_FILE === undefined) {
    problems.push('REDIS_CLUSTER is true, but REDIS_URL, which lists the seed nodes, is not set');
  }
  // Not `!found.REDIS_CLUSTER`: a faulty REDIS_CLUSTER says nothing about the number of URLs.
  if (found.REDIS_CLUSTER === false && (found.REDIS_URL?.length ?? 0) > 1) {
    problems.push('REDIS_URL: expected exactly one URL unless REDIS_CLUSTER is true; its value is not shown');
  }
  if (found.METRICS_PORT !== undefined && isOnePlace(found)) {
    problems.push(`METRICS_PORT: expected another port than PORT has, got ${String(found.METRICS_PORT)}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Without problems nothing is missing but what may be.
  return arrange(found as Settings);
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Would the API and the metrics listen on the same port of the same address? Port 0 is a free one, for each. */
function isOnePlace({ HOST, PORT, METRICS_HOST, METRICS_PORT }: Partial<Settings>): boolean {
  if (PORT !== METRICS_PORT || PORT === 0) return false;
  return HOST === METRICS_HOST || EVERY_ADDRESS.has(HOST ?? '') || EVERY_ADDRESS.has(METRICS_HOST ?? '');
}

/** One variable's value; undefined when it is unset without a default, or faulty. */
function readSetting(name: SettingName, env: Environment, problems: string[]): unknown {
  const { schema, fallback, secret } = SETTINGS[name];
  const direct = env[name];
  const path = env[`${name}_FILE`];
  if (direct !== undefined && path !== undefined) {
    problems.push(`${name} and ${name}_FILE are both set; keep one`);
    return undefined;
  }
  const text = path === undefined ? (direct ?? fallback) : readValueFile(name, path, problems);
  if (text === undefined) return undefined;
  // A default must not hide a setting that somebody meant to fill in.
  if (text.trim() === '') {
    const source = path === undefined ? `${name} is set but` : `${name}_FILE names a file that is`;
    problems.push(`${source} empty; give a value or unset it`);
    return undefined;
  }
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  const expected = result.error.issues.map(({ message }) => message).join(', ');
  problems.push(
    path === undefined
      ? `${name}: expected ${expected}; ${secret ? 'its value is not shown' : `got ${shown(text)}`}`
      : `${name}_FILE: expected ${expected}; the file's content is not shown`,
  );
  return undefined;
}

function readValueFile(name: SettingName, path: string, problems: string[]): string | undefined {
  if (path.trim() === '') {
    problems.push(`${name}_FILE is set but empty; give a path or unset it`);
    return undefined;
  }
  try {
    return readText(path).replace(/\r?\n$/, '');
  } catch (error) {
    // Where a secret is expected, the "path" may be the secret itself, put into the wrong variable.
    const what = SETTINGS[name].secret ? 'the file it names' : shown(path);
    problems.push(`${name}_FILE: expected a readable text file; cannot read ${what} (${reasonOf(error)})`);
    return undefined;
  }
}

/** A value on one line for people; what stands before an `@` or behind a `?` may be a password and is left out. */
function shown(value: string): string {
  const safe = value.replace(/^.*@/s, '***@').replace(/\?.*$/s, '?***');
  const short = safe.length > 100 ? `${safe.slice(0, 100)}…` : safe;
  return JSON.stringify(short).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** An object without the keys whose value is undefined: an absent setting is an absent key. */
function present<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function arrange(settings: Settings): Config {
  return {
    host: settings.HOST,
    port: settings.PORT,
    production: settings.NODE_ENV === 'production',
    database: {
      ...present({ url: settings.DATABASE_URL }),
      dataDir: settings.DATA_DIR,
      poolSize: settings.DATABASE_POOL_SIZE,
    },
    redis: { urls: settings.REDIS_URL ?? [], cluster: settings.REDIS_CLUSTER },
    shutdownDelayMs: settings.SHUTDOWN_DELAY_MS,
    metrics: { ...present({ port: settings.METRICS_PORT }), host: settings.METRICS_HOST },
    traces: {
      ...present({ endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT }),
      sampler: settings.OTEL_TRACES_SAMPLER,
      sampledShare: settings.OTEL_TRACES_SAMPLER_ARG,
    },
    ...present({
      publicBaseUrl: settings.PUBLIC_BASE_URL,
      stagingBaseUrl: settings.STAGING_BASE_URL,
    }),
    corsOrigins: settings.CORS_ORIGINS ?? [],
    trustProxy: settings.TRUST_PROXY ?? false,
    anonymousPerMinute: settings.ANONYMOUS_PER_MINUTE,
    enforceSunset: settings.ENFORCE_SUNSET,
    logLevel: settings.LOG_LEVEL,
  };
}
