import { lookup } from 'node:dns/promises';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config } from './config.js';
import { Setting, SETTINGS, settingsOf, type SettingTree } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment is wrong. `problems` holds every mistake, one line each, without secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

/**
 * The settings of the environment and of the directory's `.env` file, if there is one. Names to listen on are resolved.
 * `@nestjs/config` and `envalid` were considered: neither knows NAME_FILE, and their messages show values.
 *
 * @throws ConfigError with every mistake in it.
 */
export async function readConfig(
  directory = process.cwd(),
  env: NodeJS.ProcessEnv = process.env,
): Promise<Config> {
  const { found, problems } = configFrom(env, join(directory, '.env'));
  problems.push(...(await unknownHosts(found)));
  return whole(found, problems);
}

/** The settings of this environment alone. @throws ConfigError with every mistake in it. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const { found, problems } = configFrom(env);
  return whole(found, problems);
}

/** Without problems every required setting is present. */
function whole(found: ValidSettings, problems: string[]): Config {
  if (problems.length > 0) throw new ConfigError(problems);
  return found as Config;
}

function configFrom(env: Environment, dotenv?: string): { found: ValidSettings; problems: string[] } {
  const problems: string[] = [];
  const collected = <Value>(read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const given = withoutEmpty(env);
  const all = (dotenv === undefined ? given : collected(() => withDotenv(dotenv, given, problems))) ?? given;
  const found = valuesOf(SETTINGS, (setting) => collected(() => readSetting(setting, all))) as ValidSettings;
  problems.push(...contradictionsIn(found, all));
  return { found, problems };
}

/** The names to listen on that have no address. */
async function unknownHosts({ host, metrics }: ValidSettings): Promise<string[]> {
  const names = { HOST: host, METRICS_HOST: metrics.port === undefined ? undefined : metrics.host };
  const lines = Object.entries(names).map(async ([setting, name]) => {
    if (name === undefined) return [];
    const expected = 'a name that has an address, or an IP address; the name does not resolve';
    return lookup(name).then(
      () => [],
      (error: unknown) => [`${setting}: expected ${expected} (${(error as NodeJS.ErrnoException).code})`],
    );
  });
  return (await Promise.all(lines)).flat();
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
type ValidSettings = {
  readonly [Property in keyof Config]: Config[Property] extends object
    ? Partial<Config[Property]>
    : Config[Property] | undefined;
};

const ALL_ADDRESSES = ['0.0.0.0', '::'];

/** The mistakes that several settings make together. An invalid setting is reported already, and makes none. */
function contradictionsIn(found: ValidSettings, env: Environment): string[] {
  const { host, port, database, redis, metrics } = found;
  const { urls = [], cluster, sentinelMaster } = redis;
  const isSet = (name: string) => env[name] !== undefined || env[`${name}_FILE`] !== undefined;
  const needs: [isAsked: boolean, what: string, needed: string][] = [
    [database.migrationServer !== undefined, 'DATABASE_MIGRATION_URL is set', 'DATABASE_URL'],
    [cluster === true, 'REDIS_CLUSTER is true', 'REDIS_URL'],
    [sentinelMaster !== undefined, 'REDIS_SENTINEL_MASTER is set', 'REDIS_URL'],
  ];
  const lines = needs
    .filter(([isAsked, , needed]) => isAsked && !isSet(needed))
    .map(([, what, needed]) => `${what}, but ${needed} is not set`);
  if (sentinelMaster !== undefined && cluster === true)
    lines.push('REDIS_SENTINEL_MASTER and REDIS_CLUSTER exclude each other');
  // A cluster has no other database than 0.
  if (cluster === true && urls.some((url) => Number(new URL(url).pathname.slice(1)) !== 0))
    lines.push(`REDIS_URL: expected no database number other than 0 with REDIS_CLUSTER; ${NOT_SHOWN}`);
  if (cluster === false && !isSet('REDIS_SENTINEL_MASTER') && urls.length > 1)
    lines.push(
      `REDIS_URL: expected exactly one URL without REDIS_CLUSTER and REDIS_SENTINEL_MASTER; ${NOT_SHOWN}`,
    );
  const sharesAddress =
    host === metrics.host || [host, metrics.host].some((address) => ALL_ADDRESSES.includes(address ?? ''));
  // Port 0 means any free port.
  if (port !== undefined && port !== 0 && port === metrics.port && sharesAddress)
    lines.push(`METRICS_PORT: expected another port than PORT has, got ${port}`);
  return lines;
}

/** One variable's value; undefined when it is unset without a default. @throws ConfigError when it is invalid. */
function readSetting({ name, schema, isSecret }: Setting<unknown>, env: Environment): unknown {
  const direct = env[name];
  const path = env[`${name}_FILE`];
  if (path !== undefined && direct !== undefined)
    throw new ConfigError([`${name} and ${name}_FILE are both set; keep one`]);
  if (path !== undefined) return readValueFile(`${name}_FILE`, path, schema, isSecret);
  return valueOf(name, schema, direct, isSecret ? NOT_SHOWN : shown(direct ?? ''));
}

function readValueFile(
  name: string,
  path: string,
  schema: Setting<unknown>['schema'],
  isSecret: boolean,
): unknown {
  // The "path" may be the secret itself, put into the wrong variable.
  const what = isSecret || mayHoldSecret(path) ? 'the file it names' : printable(path);
  const text = readText(name, path, what).replace(/\r?\n$/, '');
  if (text.trim() === '')
    throw new ConfigError([`${name} names a file that is empty; give a value or unset it`]);
  return valueOf(name, schema, text, "the file's content is not shown");
}

function valueOf(
  name: string,
  schema: Setting<unknown>['schema'],
  text: string | undefined,
  got: string,
): unknown {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  const expected = result.error.issues.map(({ message }) => message).join(', ');
  throw new ConfigError([`${name}: expected ${expected}; ${got}`]);
}

/** A text with an `@`, `?` or `#` may be a URL with a password. */
const mayHoldSecret = (value: string) => /[@?#]/.test(value);

const shown = (value: string) => (mayHoldSecret(value) ? NOT_SHOWN : `got ${printable(value)}`);

/** A value on one line. */
function printable(value: string): string {
  const short = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return JSON.stringify(short).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Compose and other tools pass a variable without a value as an empty one. */
function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
}

/** Variables of `.env` that are not for the service: compose.yaml uses them. */
const OF_COMPOSE = /^(COMPOSE|SITE)_/;

/**
 * The environment, completed by the variables of the `.env` file at `path`, if there is one. Real variables win. Node's
 * `parseEnv` reads the file. `process.loadEnvFile` does not fit: it changes `process.env`, and a NAME in the file would then
 * conflict with a real NAME_FILE.
 * `problems` gets each variable that is no setting, such as a misspelt one.
 *
 * @throws ConfigError when the file cannot be read
 */
function withDotenv(path: string, env: Environment, problems: string[]): Environment {
  // Not existsSync: a link to a missing file is a mistake, not an absent file.
  if (!lstatSync(path, { throwIfNoEntry: false })) return env;
  const fromFile = Object.entries(withoutEmpty(parseEnv(readText('.env', path, 'it'))));
  const known = new Set(settingsOf().flatMap(({ name }) => [name, `${name}_FILE`]));
  const unknown = fromFile.filter(([name]) => !known.has(name) && !OF_COMPOSE.test(name));
  problems.push(...unknown.map(([name]) => `.env: there is no setting ${printable(name)}`));
  return { ...Object.fromEntries(fromFile.filter(([name]) => env[otherForm(name)] === undefined)), ...env };
}

/** PORT for PORT_FILE and the reverse. */
function otherForm(name: string): string {
  return name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
}

/** The text of a UTF-8 file. `source` and `what` name the file in a problem. @throws ConfigError when it cannot be read. */
function readText(source: string, path: string, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not UTF-8' : code;
    throw new ConfigError([`${source}: expected a readable text file; cannot read ${what} (${reason})`]);
  }
}
