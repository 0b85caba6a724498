import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config } from './config.js';
import { type SettingName, type Settings, SETTINGS } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

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
  if (problems.length > 0) throw new ConfigError(problems);
  // Without problems nothing is missing but what may be.
  return arrange(found as Settings);
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

function readText(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

function reasonOf(error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not UTF-8' : code;
}

/**
 * The environment with the file's variables added where it has none. `process.loadEnvFile` would do that in place, but
 * would also let a NAME in the file clash with a real NAME_FILE, and skip what it cannot read without a word.
 */
function withDotenv(path: string, env: NodeJS.ProcessEnv, problems: string[]): Environment {
  try {
    // Not existsSync: a link to nowhere is a mistake, not an absent file.
    if (!lstatSync(path, { throwIfNoEntry: false })) return env;
    const text = readText(path).replaceAll('\r\n', '\n');
    const lines = unreadableLines(text);
    problems.push(
      ...lines.map(
        (line) => `.env: line ${line}: expected NAME=value, with a value in quotes if it holds a #`,
      ),
    );
    const twinOf = (name: string) =>
      name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
    const added = Object.entries(parseEnv(text)).filter(([name]) => env[twinOf(name)] === undefined);
    return { ...Object.fromEntries(added), ...env };
  } catch (error) {
    problems.push(`.env: expected a readable text file; cannot read it (${reasonOf(error)})`);
    return env;
  }
}

/**
 * A blank line, a comment, or NAME=value with a comment behind it. Narrower than Node's own reader, whose releases
 * disagree about tabs, `NAME=` with spaces behind it and lines without `=`, and which cuts a bare value at any `#`.
 */
const DOTENV_NAME = / *(?:export +)?[a-z_][\w.-]* *=/.source;
const DOTENV_QUOTED = / *(?:"[^"]*"|'[^']*'|`[^`]*`) *(?:#[^\n]*)?/.source;
const DOTENV_BARE = /(?: *[^\s"'`#](?: |[^\s#])*?)?(?: +#[^\n]*)?/.source;
const DOTENV_LINE = new RegExp(
  `(?:${DOTENV_NAME}(?:${DOTENV_QUOTED}|${DOTENV_BARE})| *(?:#[^\\n]*)?)(?:\\n|$)`,
  'iy',
);

/** The numbers of the lines that Node would skip or guess at; never their content. */
function unreadableLines(text: string): number[] {
  const unreadable: number[] = [];
  let offset = 0;
  while (offset < text.length) {
    DOTENV_LINE.lastIndex = offset;
    const end = text.indexOf('\n', offset);
    if (DOTENV_LINE.test(text)) {
      offset = DOTENV_LINE.lastIndex;
      continue;
    }
    unreadable.push(text.slice(0, offset).split('\n').length);
    offset = end === -1 ? text.length : end + 1;
  }
  return unreadable;
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
