import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { z } from 'zod';
import { type DatabaseServer, parseDatabaseServer } from './database-server.js';

/* The schemas of settings. A message completes the sentence "expected …". */

const isWholeNumber = (text: string, min: number, max: number) =>
  /^(0|[1-9]\d*)$/.test(text) && Number(text) >= min && Number(text) <= max;

/** A text that passes the check. */
export const textWith = (check: (text: string) => boolean, expected: string) =>
  z.string().refine(check, expected);

export const wholeNumber = (min: number, max: number) =>
  textWith(
    (text) => isWholeNumber(text, min, max),
    `a whole number from ${min} to ${max}, in plain digits`,
  ).transform(Number);

export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, `one of ${names.join(', ')}`);

export const flag = z.enum(['true', 'false'], 'true or false').transform((text) => text === 'true');

/** Labels may hold `_`, as container names do. A last label of digits only is a malformed IPv4 address. */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*(?!\d+$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i;

export const host = textWith(
  (text) => isIP(text) !== 0 || HOST_NAME.test(text),
  'a host name or an IP address, without port or brackets',
);

export const directory = textWith((text) => !text.includes('\0'), 'a path without NUL bytes');

const SECRET_KEY_BYTES = 32;

/** A key of AES-256. Base64 that decodes to other bytes than it encodes is a mistake. */
export const secretKey = textWith((text) => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === SECRET_KEY_BYTES && bytes.toString('base64') === text;
}, `${SECRET_KEY_BYTES} random bytes in base64, as of "openssl rand -base64 ${SECRET_KEY_BYTES}"`).transform(
  (text) => Buffer.from(text, 'base64'),
);

/** As OpenTelemetry's specification has it. */
export const anyCaseFlag = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(flag);

/** The URL parser silently drops line ends, tabs and outer spaces; here they are mistakes. */
function parseUrl(text: string): URL | undefined {
  return !/[\s\p{Cc}]/u.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

const UNPARSABLE = 'does not parse; special characters in user and password must be percent-encoded';

/**
 * Whether a user or password holds a character that ends it: an `@` behind another `@`, `/`, `?` or backslash, or a `#`. The parser would
 * take a part of the password for the host, whose name stands in messages.
 */
const isUnescaped = (text: string) => /^[a-z]+:\/\/(?:.*#|.*[@/?\\].*@)/is.test(text);

/** The URL, when its parts are what they seem to be. */
function safeUrl(text: string): URL | undefined {
  const url = isUnescaped(text) ? undefined : parseUrl(text);
  return url && decodes(url.username + url.password + url.hostname + url.pathname) ? url : undefined;
}

/** User, password, host and path are decoded, and throw on a stray `%`. */
function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads the files of TLS that the URL names. */
export const postgresServer = z.string().transform((text, context): DatabaseServer => {
  const problems: string[] = [];
  const isPostgres = /^postgres(ql)?:\/\//.test(text);
  const server = isPostgres ? parseDatabaseServer(text, safeUrl, problems) : undefined;
  if (!server) problems.push('has another scheme');
  if (problems.length > 0)
    context.addIssue(`a postgres:// or postgresql:// URL of one server; this one ${problems.join(', ')}`);
  return server ?? z.NEVER;
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
  const url = safeUrl(text);
  if (!url) return UNPARSABLE;
  if (url.hostname === '' || url.hostname.includes(',')) return 'does not name one host';
  if (!/^\/?\d*$/.test(url.pathname)) return 'has a path that is not a database number';
  // ioredis would take each for an option, as text.
  if (url.search !== '') return 'has parameters, and takes none';
  return undefined;
}

// A comma separates only when another URL follows it, because a password may hold a comma.
export const redisUrls = z
  .string()
  .transform(list('a redis:// or rediss:// URL', /,(?=\s*rediss?:\/\/)/, redisProblem));

export const httpUrl = z.string().superRefine((text, context) => {
  const expected = 'an absolute http:// or https:// URL';
  if (!isUnescaped(text) && (!/^https?:\/\/[^/\\?#]/i.test(text) || !parseUrl(text)))
    context.addIssue(expected);
  else if (!safeUrl(text)) context.addIssue(`${expected}; this one ${UNPARSABLE}`);
});

/** Normalized by the URL parser (host in lower case), because links are built by appending to it. */
export const baseUrl = httpUrl
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
  if (entry.includes('*')) return 'has a *, which matches no origin: name each of them';
  if (parseUrl(entry)?.origin !== entry) {
    return 'is not in the form a browser sends (lower case; no path, final slash, user or default port)';
  }
  return undefined;
}

export const origins = z
  .string()
  .transform(list('origins such as https://shop.example.com, separated by commas', ',', originProblem));

/** Stricter than ipaddr.js alone, which also reads `10.1`, `0x7f.1` and zone ids. */
function networkProblem(entry: string): string | undefined {
  const [address = '', bits, ...more] = entry.split('/');
  const isV4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isV4 && (address.includes('%') || !ipaddr.IPv6.isValid(address)))
    return 'is not an IP address or CIDR';
  if (bits === undefined) return undefined;
  if (more.length > 0 || !isWholeNumber(bits, 1, isV4 ? 32 : 128)) return 'has a wrong prefix length';
  // 10.0.0.5/8 trusts sixteen million addresses, which is probably a mistake.
  const network = (isV4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(entry);
  return network.toString() === ipaddr.parse(address).toString()
    ? undefined
    : 'has bits set behind its prefix';
}

/** Addresses and networks, as they are written. */
export const networkList = z
  .string()
  .transform(list('IP addresses and CIDRs separated by commas', ',', networkProblem));

const networks = list(
  'a hop count from 1 to 32, or IP addresses and CIDRs separated by commas',
  ',',
  networkProblem,
);

export const trustProxy = z
  .string()
  .transform((text, context) => (isWholeNumber(text, 1, 32) ? Number(text) : networks(text, context)));

/** A part of time, its end excluded. */
export interface Interval {
  fromMs: number;
  untilMs: number;
}

const MOMENT = z.union([z.iso.datetime({ precision: -1 }), z.iso.datetime({ precision: 0 })]);

function parseInterval(text: string): Interval | undefined {
  const moments = text.trim().split('/');
  const [fromMs = NaN, untilMs = NaN] = moments.map((moment) =>
    MOMENT.safeParse(moment).success ? Date.parse(moment) : NaN,
  );
  return moments.length === 2 && fromMs < untilMs ? { fromMs, untilMs } : undefined;
}

/** Intervals of ISO 8601 in UTC, separated by commas. */
export const intervals = z.string().transform((text, context): Interval[] => {
  const parsed = text.split(',').map(parseInterval);
  const found = parsed.filter((interval) => interval !== undefined);
  if (found.length === parsed.length) return found;
  context.addIssue('intervals such as 2026-12-01T10:00Z/2026-12-01T11:00Z, separated by commas');
  return z.NEVER;
});
