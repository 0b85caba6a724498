import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type ConnectionOptions } from 'node:tls';

type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'checkServerIdentity'
>;

/** A PostgreSQL server, as `pg` takes it. What is undefined comes from the variables of PostgreSQL clients (PGUSER, …) or its defaults. */
export interface DatabaseServer {
  /** A host name, an address, or the directory of a UNIX socket. */
  host: string;
  port?: number | undefined;
  user?: string | undefined;
  password?: string | undefined;
  database?: string | undefined;
  ssl?: TlsOptions | false | undefined;
  /** Parameters of the session, as in `-c search_path=store`. */
  options?: string | undefined;
  application_name?: string | undefined;
}

/** `verify-ca` does not compare the host name. libpq's `allow` and `prefer` fall back to plain text, which `pg` cannot. */
const SSL_MODES: Readonly<Record<string, TlsOptions | false>> = {
  disable: false,
  'no-verify': { rejectUnauthorized: false },
  'verify-ca': { checkServerIdentity: () => undefined },
  // Stricter than libpq, as in every release of `pg` 8.
  require: {},
  'verify-full': {},
};
/** The files of TLS, by the option of Node that takes their content. */
const SSL_FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;
/** The parameters that stand for a part of the URL. */
const PARTS = ['host', 'port', 'user', 'password', 'dbname'] as const;
const KNOWN = [...PARTS, 'sslmode', ...Object.keys(SSL_FILES), 'options', 'application_name'];

/** Stands for the host that `postgres://user@/db?host=/run/postgresql` does not have. */
const NO_HOST = 'no-host.invalid';

/**
 * The only parser of PostgreSQL URLs: it keeps what the URL says, or adds to `problems` what it cannot keep. `parse` reads a URL and
 * returns undefined where that would be misread. No problem shows a value.
 */
export function parseDatabaseServer(
  text: string,
  parse: (text: string) => URL | undefined,
  problems: string[],
): DatabaseServer {
  const url = parse(text) ?? parse(text.replace(/^([a-z]+:\/\/(?:[^/?#]*@)?)(?=[/?]|$)/i, `$1${NO_HOST}`));
  if (!url) {
    problems.push(
      /^[a-z]+:\/\/(?:[^@/?#]*@)?[^@/?#]*,/i.test(text)
        ? 'names several hosts'
        : 'does not parse; special characters in user and password must be percent-encoded',
    );
    return { host: '' };
  }
  const { searchParams } = url;
  const parameter = (name: string) => {
    const value = searchParams.get(name);
    return value === null || value === '' ? undefined : value;
  };
  problems.push(...parameterProblems(searchParams));
  const authority = {
    host: url.hostname === NO_HOST ? '' : decodeURIComponent(url.hostname).replace(/^\[|\]$/g, ''),
    port: url.port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    dbname: decodeURIComponent(url.pathname.slice(1)),
  };
  const [host = '', port, user, password, database] = PARTS.map((part) => {
    if (authority[part] !== '' && searchParams.has(part)) problems.push(`gives ${part} twice`);
    return authority[part] || parameter(part);
  });
  if (host === '') problems.push('has no host');
  if (host.includes(',')) problems.push('names several hosts');
  if (port !== undefined && !/^[1-9]\d{0,4}$/.test(port)) problems.push('has a port that is not a number');
  return {
    host,
    port: port === undefined ? undefined : Number(port),
    user,
    password,
    database,
    ssl: sslOf(parameter, problems),
    options: parameter('options'),
    application_name: parameter('application_name'),
  };
}

function parameterProblems(parameters: URLSearchParams): string[] {
  const names = [...new Set(parameters.keys())];
  const unknown = names
    .filter((name) => !KNOWN.includes(name))
    // A name without a value may be a piece of a password.
    .map((name) => (/^\w{1,40}$/.test(name) && parameters.get(name) ? name : 'one that is not shown'));
  const twice = names.filter((name) => KNOWN.includes(name) && parameters.getAll(name).length > 1);
  return [
    ...(unknown.length > 0
      ? [`has unknown parameters: ${unknown.join(', ')} (known: ${KNOWN.join(', ')})`]
      : []),
    ...twice.map((name) => `gives ${name} twice`),
  ];
}

function sslOf(parameter: (name: string) => string | undefined, problems: string[]): DatabaseServer['ssl'] {
  const mode = parameter('sslmode');
  const files = Object.entries(SSL_FILES).flatMap(([name, option]) => {
    const path = parameter(name);
    // As libpq: the certificates that the system, or here Node, trusts.
    if (path === undefined || (name === 'sslrootcert' && path === 'system')) return [];
    return [[option, readTlsFile(name, path, problems)]];
  });
  if (mode === undefined && files.length === 0) return undefined;
  const ofMode = SSL_MODES[mode ?? 'verify-full'];
  if (ofMode === undefined) problems.push(`has an sslmode other than ${Object.keys(SSL_MODES).join(', ')}`);
  if (!ofMode) return false;
  const ssl = { ...ofMode, ...(Object.fromEntries(files) as TlsOptions) };
  try {
    // Node ignores what is no certificate among those that it shall trust.
    if (typeof ssl.ca === 'string') new X509Certificate(ssl.ca);
    createSecureContext(ssl);
  } catch (error) {
    problems.push(`names files for TLS that cannot be used (${(error as NodeJS.ErrnoException).code})`);
  }
  return ssl;
}

/** Read at start, as passwords are: a file that vanishes later ends no connection. */
function readTlsFile(name: string, path: string, problems: string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    problems.push(`names in ${name} a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}
