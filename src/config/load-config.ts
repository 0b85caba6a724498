import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config } from './config.js';
import { Setting, SETTINGS, type SettingTree } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

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
  const found = valuesOf(SETTINGS, (setting) => readSetting(setting, env, problems));
  problems.push(...contradictionsIn(found as Found, env));
  if (problems.length > 0) throw new ConfigError(problems);
  // Without problems every required setting is present.
  return found as Config;
}

function valuesOf(tree: SettingTree, read: (setting: Setting<unknown>) => unknown): object {
  const values = Object.entries(tree).map(([property, node]) => [
    property,
    node instanceof Setting ? read(node) : valuesOf(node, read),
  ]);
  return Object.fromEntries(values) as object;
}

const NOT_SHOWN = 'its value is not shown';

/** The configuration without the settings that are invalid. */
type Found = {
  readonly [Property in keyof Config]: Config[Property] extends object
    ? Partial<Config[Property]>
    : Config[Property] | undefined;
};

/** The mistakes that several settings make together. An invalid setting is reported already, and makes none. */
function contradictionsIn(found: Found, env: Environment): string[] {
  const { database, redis, workers = 1, metrics } = found;
  const isSet = (name: string) => env[name] !== undefined || env[`${name}_FILE`] !== undefined;
  const hasDatabase = isSet('DATABASE_URL');
  const hasRedis = isSet('REDIS_URL');
  const urls = redis.urls ?? [];
  const lines: string[] = [];
  if (database.migrationUrl !== undefined && !hasDatabase)
    lines.push('DATABASE_MIGRATION_URL is set, but DATABASE_URL is not');
  if (database.pooler === 'transaction' && !hasDatabase)
    lines.push('DATABASE_POOLER is transaction, but DATABASE_URL, which names the pooler, is not set');
  if (redis.cluster === true && !hasRedis)
    lines.push('REDIS_CLUSTER is true, but REDIS_URL, which lists the seed nodes, is not set');
  if (redis.sentinelMaster !== undefined && !hasRedis)
    lines.push('REDIS_SENTINEL_MASTER is set, but REDIS_URL, which lists the sentinels, is not');
  if (redis.sentinelMaster !== undefined && redis.cluster === true)
    lines.push('REDIS_SENTINEL_MASTER and REDIS_CLUSTER exclude each other');
  if (redis.cluster === true && urls.some(namesDatabase))
    lines.push(`REDIS_URL: expected no database number other than 0 with REDIS_CLUSTER; ${NOT_SHOWN}`);
  if (redis.cluster === false && !isSet('REDIS_SENTINEL_MASTER') && urls.length > 1)
    lines.push(
      `REDIS_URL: expected exactly one URL without REDIS_CLUSTER and REDIS_SENTINEL_MASTER; ${NOT_SHOWN}`,
    );
  if (workers > 1 && !hasDatabase)
    lines.push('WORKERS is more than 1, but DATABASE_URL, which all workers use, is not set');
  if (workers > 1 && !hasRedis)
    lines.push('WORKERS is more than 1, but REDIS_URL, which all workers use, is not set');
  if (listensTwice(found))
    lines.push(`METRICS_PORT: expected another port than PORT has, got ${String(metrics.port)}`);
  return lines;
}

/** Whether a Redis URL names another database than 0, the only one of a cluster. */
function namesDatabase(url: string): boolean {
  return Number(new URL(url).pathname.slice(1)) !== 0;
}

const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/** Whether the API and the metrics would listen on the same port of the same address. Port 0 means any free port. */
function listensTwice({ host = '', port, metrics }: Found): boolean {
  if (port === undefined || port !== metrics.port || port === 0) return false;
  return host === metrics.host || ALL_ADDRESSES.has(host) || ALL_ADDRESSES.has(metrics.host ?? '');
}

/** One variable's value; undefined when it is invalid, or unset without a default. */
function readSetting(setting: Setting<unknown>, env: Environment, problems: string[]): unknown {
  const { name, schema, isSecret } = setting;
  const direct = env[name];
  const path = env[`${name}_FILE`];
  if (direct !== undefined && path !== undefined) {
    problems.push(`${name} and ${name}_FILE are both set; keep one`);
    return undefined;
  }
  if (direct === undefined && path === undefined) return schema.parse(undefined);
  const text = path === undefined ? direct : readValueFile(setting, path, problems);
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
      ? `${name}: expected ${expected}; ${isSecret ? NOT_SHOWN : `got ${printable(text)}`}`
      : `${name}_FILE: expected ${expected}; the file's content is not shown`,
  );
  return undefined;
}

function readValueFile(
  { name, isSecret }: Setting<unknown>,
  path: string,
  problems: string[],
): string | undefined {
  if (path.trim() === '') {
    problems.push(`${name}_FILE is set but empty; give a path or unset it`);
    return undefined;
  }
  try {
    return readText(path).replace(/\r?\n$/, '');
  } catch (error) {
    // The "path" may be the secret itself, put into the wrong variable.
    const what = isSecret ? 'the file it names' : printable(path);
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

/**
 * Returns the environment, completed by the variables of the `.env` file at `path`. Real variables win. Adds a line to
 * `problems` when the file exists but cannot be read.
 *
 * Node's `parseEnv` reads the file. `process.loadEnvFile` does not fit: it changes `process.env`, and a NAME in the file
 * would then conflict with a real NAME_FILE.
 */
function withDotenv(path: string, env: Environment, problems: string[]): Environment {
  try {
    // Not existsSync: a link to a missing file is a mistake, not an absent file.
    if (!lstatSync(path, { throwIfNoEntry: false })) return env;
    const fromFile = Object.entries(parseEnv(readText(path)));
    return { ...Object.fromEntries(fromFile.filter(([name]) => env[otherForm(name)] === undefined)), ...env };
  } catch (error) {
    problems.push(`.env: expected a readable text file; cannot read it (${readErrorReason(error)})`);
    return env;
  }
}

/** PORT for PORT_FILE and the reverse. */
function otherForm(name: string): string {
  return name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
}

/** The text of a UTF-8 file. @throws Error as Node does, also when the bytes are not UTF-8. */
function readText(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

/** Why `readText` failed, in a few words without a path. */
function readErrorReason(error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not UTF-8' : code;
}
