import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How a pooler in front of PostgreSQL shares connections. Without a pooler it is `session` too. */
const POOLERS = ['session', 'transaction'] as const;

/** The names that OpenTelemetry's specification defines. */
const TRACE_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type TraceSampler = (typeof TRACE_SAMPLERS)[number];

/** How the text of one variable becomes a value. A schema's message completes the sentence "expected …". */
export interface Setting<T> {
  readonly schema: z.ZodType<T, string>;
  /** The default, as text; undefined: unset. */
  readonly fallback: string | undefined;
  /** The value may hold a password and is never printed. */
  readonly secret: boolean;
}

const withDefault = <T>(schema: z.ZodType<T, string>, fallback: string): Setting<T> => ({
  schema,
  fallback,
  secret: false,
});

const optional = <T>(schema: z.ZodType<T, string>, secret = false): Setting<T | undefined> => ({
  schema,
  fallback: undefined,
  secret,
});

const isWholeNumber = (text: string, min: number, max: number) =>
  /^(0|[1-9]\d*)$/.test(text) && Number(text) >= min && Number(text) <= max;

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => isWholeNumber(text, min, max), `a whole number from ${min} to ${max}, in plain digits`)
    .transform(Number);

/** `auto` is one process per core. */
const workers = z
  .string()
  .refine((text) => text === 'auto' || isWholeNumber(text, 1, 256), 'auto, or a whole number from 1 to 256')
  .transform((text) => (text === 'auto' ? availableParallelism() : Number(text)));

const share = z
  .string()
  .refine((text) => /^(0(\.\d+)?|1(\.0+)?)$/.test(text), 'a number from 0 to 1, such as 0.1')
  .transform(Number);

const flag = z.enum(['true', 'false'], 'true or false').transform((text) => text === 'true');

/** Labels may hold `_`, as container names do. A last label of digits only is a malformed IPv4 address. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*(?!\d+$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i;

const host = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || HOST_NAME.test(text),
    'a host name or an IP address, without port or brackets',
  );

const directory = z.string().refine((text) => !text.includes('\0'), 'a path without NUL bytes');

/** The URL parser silently drops line ends, tabs and outer spaces; here they are mistakes. */
function parseUrl(text: string): URL | undefined {
  return !/[\s\p{Cc}]/u.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** The drivers decode user, password and path when they connect, and throw on a stray `%`. */
function decodes(url: URL): boolean {
  try {
    decodeURIComponent(url.username + url.password + url.pathname);
    return true;
  } catch {
    return false;
  }
}

const UNPARSABLE = 'does not parse; special characters in user and password must be percent-encoded';

function postgresProblem(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return 'has another scheme';
  const url = parseUrl(text);
  // `postgres://user@/db?host=/run/postgresql` has no host in its authority, which only pg's parser accepts.
  const socketUrl = url ?? parseUrl(text.replace('@/', '@socket/'));
  if (!socketUrl || !decodes(socketUrl)) return UNPARSABLE;
  if (!url?.hostname && !socketUrl.searchParams.get('host')) return 'has no host';
  return undefined;
}

const postgresUrl = z.string().superRefine((text, context) => {
  const problem = postgresProblem(text);
  if (problem)
    context.addIssue(`a postgres:// or postgresql:// URL with a host or ?host=; this one ${problem}`);
});

/** A list of valid entries. Messages name an invalid entry by its position, because a file's content is never shown. */
const list =
  (what: string, separator: string | RegExp, problemOf: (entry: string) => string | undefined) =>
  (text: string, context: z.RefinementCtx<string>): string[] => {
    const entries = text.split(separator).map((entry) => entry.trim());
    const problems = entries.flatMap((entry, index) => {
      const problem = entry === '' ? 'is empty' : problemOf(entry);
      return problem ? [`entry ${index + 1} ${problem}`] : [];
    });
    if (problems.length > 0) context.addIssue(`${what}; ${problems.join(', ')}`);
    return entries;
  };

function redisProblem(text: string): string | undefined {
  if (!/^rediss?:\/\//.test(text)) return 'has another scheme';
  const url = parseUrl(text);
  if (!url || !decodes(url)) return UNPARSABLE;
  if (url.hostname === '' || url.hostname.includes(',')) return 'does not name one host';
  if (!/^\/?\d*$/.test(url.pathname)) return 'has a path that is not a database number';
  return undefined;
}

// A comma separates only when another URL follows it, because a password may hold a comma.
const redisUrls = z
  .string()
  .transform(list('a redis:// or rediss:// URL', /,(?=\s*rediss?:\/\/)/, redisProblem));

const httpUrl = z
  .string()
  .refine(
    (text) => /^https?:\/\/[^/\\?#]/i.test(text) && parseUrl(text) !== undefined,
    'an absolute http:// or https:// URL',
  );

/** Normalized by the URL parser (host in lower case), because links are built by appending to it. */
const baseUrl = httpUrl
  .transform((text) => new URL(text))
  .refine(
    (url) => url.pathname.endsWith('/v1') && !/[?#]/.test(url.href),
    'a path ending in /v1 and nothing after it',
  )
  .refine((url) => url.username === '' && url.password === '', 'no user or password')
  .transform((url) => url.href);

function originProblem(entry: string): string | undefined {
  if (entry === '*') return 'is *, which would admit every site: name them';
  if (entry === 'null') return 'is null, which any sandboxed page can claim';
  if (!/^https?:\/\//i.test(entry)) return 'does not start with http:// or https://';
  if (parseUrl(entry)?.origin !== entry) {
    return 'is not in the form a browser sends (lower case; no path, final slash, user or default port)';
  }
  return undefined;
}

const origins = z
  .string()
  .transform(list('origins such as https://shop.example.com, separated by commas', ',', originProblem));

/** Stricter than ipaddr.js alone, which also reads `10.1`, `0x7f.1` and zone ids. */
function networkProblem(entry: string): string | undefined {
  const [address = '', bits, ...more] = entry.split('/');
  const isV4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isV4 && (address.includes('%') || !ipaddr.IPv6.isValid(address)))
    return 'is not an IP address or CIDR';
  if (bits === undefined) return undefined;
  if (more.length > 0 || !isWholeNumber(bits, 0, isV4 ? 32 : 128)) return 'has a wrong prefix length';
  // 10.0.0.5/8 trusts sixteen million addresses; its author probably meant one.
  const network = (isV4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(entry);
  return network.toString() === ipaddr.parse(address).toString()
    ? undefined
    : 'has bits set behind its prefix';
}

const networks = list(
  'a hop count from 1 to 32, or IP addresses and CIDRs separated by commas',
  ',',
  networkProblem,
);

const trustProxy = z
  .string()
  .transform((text, context) => (isWholeNumber(text, 1, 32) ? Number(text) : networks(text, context)));

/** Every variable the service reads, in the order of `.env.example`. Each may also come as `NAME_FILE`. */
export const SETTINGS = {
  NODE_ENV: optional(z.string()),
  HOST: withDefault(host, '127.0.0.1'),
  PORT: withDefault(wholeNumber(0, 65_535), '3000'),
  DATABASE_URL: optional(postgresUrl, true),
  DATABASE_MIGRATION_URL: optional(postgresUrl, true),
  DATABASE_POOLER: withDefault(z.enum(POOLERS, `one of ${POOLERS.join(', ')}`), 'session'),
  DATA_DIR: withDefault(directory, './data'),
  DATABASE_POOL_SIZE: withDefault(wholeNumber(1, 100), '8'),
  REDIS_URL: optional(redisUrls, true),
  REDIS_CLUSTER: withDefault(flag, 'false'),
  REDIS_SENTINEL_MASTER: optional(z.string()),
  WORKERS: withDefault(workers, '1'),
  MAX_CONNECTIONS: withDefault(wholeNumber(1, 1_000_000), '10000'),
  USAGE_RETENTION_DAYS: withDefault(wholeNumber(1, 36_500), '400'),
  SHUTDOWN_DELAY_MS: withDefault(wholeNumber(0, 600_000), '1000'),
  METRICS_PORT: optional(wholeNumber(0, 65_535)),
  METRICS_HOST: withDefault(host, '127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpUrl),
  OTEL_TRACES_SAMPLER: withDefault(
    z.enum(TRACE_SAMPLERS, `one of ${TRACE_SAMPLERS.join(', ')}`),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault(share, '1'),
  PUBLIC_BASE_URL: optional(baseUrl),
  STAGING_BASE_URL: optional(baseUrl),
  CORS_ORIGINS: optional(origins),
  TRUST_PROXY: optional(trustProxy),
  ANONYMOUS_PER_MINUTE: withDefault(wholeNumber(1, 2_147_483_647), '300'),
  ENFORCE_SUNSET: withDefault(flag, 'false'),
  LOG_LEVEL: withDefault(z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`), 'info'),
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};
