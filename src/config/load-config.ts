import { join } from 'node:path';
import { toConfig, type Config } from './config.js';
import { type Environment, readErrorReason, readText, withDotenv } from './environment.js';
import { type SettingName, type Settings, SETTINGS } from './settings.js';

/** The environment is wrong. `problems` holds every mistake, one line each, without secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

/**
 * The settings of the environment and of the directory's `.env` file, if there is one. `@nestjs/config` and `envalid` were
 * considered: neither knows NAME_FILE, and their messages show values.
 *
 * @throws ConfigError with every mistake in it.
 */
export function readConfig(directory = process.cwd(), env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [];
  return configFrom(withDotenv(join(directory, '.env'), env, problems), problems);
}

/** The settings of this environment alone. @throws ConfigError with every mistake in it. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return configFrom(env, []);
}

function configFrom(env: Environment, problems: string[]): Config {
  const names = Object.keys(SETTINGS) as SettingName[];
  const found: Partial<Settings> = Object.fromEntries(
    names.map((name) => [name, readSetting(name, env, problems)]),
  );
  const isSet = (name: SettingName) => env[name] !== undefined || env[`${name}_FILE`] !== undefined;
  if (found.DATABASE_MIGRATION_URL !== undefined && !isSet('DATABASE_URL')) {
    problems.push('DATABASE_MIGRATION_URL is set, but DATABASE_URL is not');
  }
  if (found.DATABASE_POOLER === 'transaction' && !isSet('DATABASE_URL')) {
    problems.push('DATABASE_POOLER is transaction, but DATABASE_URL, which names the pooler, is not set');
  }
  if (found.REDIS_CLUSTER === true && !isSet('REDIS_URL')) {
    problems.push('REDIS_CLUSTER is true, but REDIS_URL, which lists the seed nodes, is not set');
  }
  if (found.REDIS_SENTINEL_MASTER !== undefined) {
    if (!isSet('REDIS_URL'))
      problems.push('REDIS_SENTINEL_MASTER is set, but REDIS_URL, which lists the sentinels, is not');
    if (found.REDIS_CLUSTER === true)
      problems.push('REDIS_SENTINEL_MASTER and REDIS_CLUSTER exclude each other');
  }
  if (found.REDIS_CLUSTER === true && found.REDIS_URL?.some(namesDatabase)) {
    problems.push(
      'REDIS_URL: expected no database number other than 0 with REDIS_CLUSTER; its value is not shown',
    );
  }
  const isSingle = found.REDIS_CLUSTER === false && !isSet('REDIS_SENTINEL_MASTER');
  // Not `!found.REDIS_CLUSTER`: an invalid REDIS_CLUSTER says nothing about the number of URLs.
  if (isSingle && (found.REDIS_URL?.length ?? 0) > 1) {
    problems.push(
      'REDIS_URL: expected exactly one URL without REDIS_CLUSTER and REDIS_SENTINEL_MASTER; its value is not shown',
    );
  }
  for (const name of ['DATABASE_URL', 'REDIS_URL'] as const) {
    if ((found.WORKERS ?? 1) > 1 && !isSet(name))
      problems.push(`WORKERS is more than 1, but ${name}, which all workers use, is not set`);
  }
  if (found.METRICS_PORT !== undefined && listensTwice(found)) {
    problems.push(`METRICS_PORT: expected another port than PORT has, got ${String(found.METRICS_PORT)}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Without problems every required setting is present.
  return toConfig(found as Settings);
}

/** Whether a Redis URL names another database than 0, the only one of a cluster. */
function namesDatabase(url: string): boolean {
  return Number(new URL(url).pathname.slice(1)) !== 0;
}

const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/** Whether the API and the metrics would listen on the same port of the same address. Port 0 means any free port. */
function listensTwice({ HOST, PORT, METRICS_HOST, METRICS_PORT }: Partial<Settings>): boolean {
  if (PORT !== METRICS_PORT || PORT === 0) return false;
  return HOST === METRICS_HOST || ALL_ADDRESSES.has(HOST ?? '') || ALL_ADDRESSES.has(METRICS_HOST ?? '');
}

/** One variable's value; undefined when it is invalid, or unset without a default. */
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
  // A default must not hide a setting that an operator meant to fill in.
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
      ? `${name}: expected ${expected}; ${secret ? 'its value is not shown' : `got ${printable(text)}`}`
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
    // The "path" may be the secret itself, put into the wrong variable.
    const what = SETTINGS[name].secret ? 'the file it names' : printable(path);
    problems.push(
      `${name}_FILE: expected a readable text file; cannot read ${what} (${readErrorReason(error)})`,
    );
    return undefined;
  }
}

/** A value on one line. The text before an `@` or after a `?` may be a password and is left out. */
function printable(value: string): string {
  const safe = value.replace(/^.*@/s, '***@').replace(/\?.*$/s, '?***');
  const short = safe.length > 100 ? `${safe.slice(0, 100)}…` : safe;
  return JSON.stringify(short).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
