import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { loadConfig } from './load-config.js';

/** What the service makes of a URL, without what is undefined. */
function serverOf(url: string): object {
  const { server } = loadConfig({ DATABASE_URL: url }).database;
  return Object.fromEntries(Object.entries(server ?? {}).filter(([, value]) => value !== undefined));
}

/** What is wrong with a URL. */
function problemOf(url: string): string {
  try {
    loadConfig({ DATABASE_URL: url });
  } catch (error) {
    const { message } = error as Error;
    expect(message).not.toMatch(/\n|secret/);
    return /^DATABASE_URL: expected .*; this one (.*); its value is not shown$/.exec(message)?.[1] ?? message;
  }
  return '(accepted)';
}

describe('a URL of PostgreSQL', () => {
  it.each<[string, object]>([
    ['postgres://db', { host: 'db' }],
    [
      'postgresql://me:p%40ss@db.example:5433/animals%20too',
      { host: 'db.example', port: 5433, user: 'me', password: 'p@ss', database: 'animals too' },
    ],
    ['postgres://u:a,b@[::1]/d', { host: '::1', user: 'u', password: 'a,b', database: 'd' }],
    ['postgres://%2Frun%2Fpostgresql/d', { host: '/run/postgresql', database: 'd' }],
    ['postgres:///d?host=/run/postgresql', { host: '/run/postgresql', database: 'd' }],
    [
      'postgres://u@/db?host=/var/run/postgresql&options=-c%20search_path%3Dstore',
      { host: '/var/run/postgresql', user: 'u', database: 'db', options: '-c search_path=store' },
    ],
    [
      'postgres://?host=h&port=1&user=u&password=p&dbname=d&application_name=shop',
      { host: 'h', port: 1, user: 'u', password: 'p', database: 'd', application_name: 'shop' },
    ],
    ['postgres://db?sslmode=disable', { host: 'db', ssl: false }],
    ['postgres://db?sslmode=no-verify', { host: 'db', ssl: { rejectUnauthorized: false } }],
    ['postgres://db?sslmode=require', { host: 'db', ssl: {} }],
    ['postgres://db?sslmode=verify-full&sslrootcert=system', { host: 'db', ssl: {} }],
    ['postgres://db?sslmode=verify-ca', { host: 'db', ssl: { checkServerIdentity: expect.any(Function) } }],
  ])('is kept whole: %s', (url, expected) => expect(serverOf(url)).toEqual(expected));

  it.each([
    ['has no host', ['postgres:///d', 'postgres://u:secret@/d', 'postgres:///d?host=']],
    ['names several hosts', ['postgres://a,b/d', 'postgres://u:secret@a:1,b:2/d', 'postgres:///d?host=a,b']],
    ['does not parse; special characters', ['postgres://u:se/cret@db/d', 'postgres://u:100%@db/d']],
    [
      'does not parse; special characters',
      ['postgres://db:99999/d', 'postgres://db/d\n', 'postgres://u:a@b@db/a'],
    ],
    ['gives host twice', ['postgres://a/d?host=b']],
    ['gives password twice', ['postgres://u:secret@a/d?password=secret']],
    ['gives sslmode twice', ['postgres://a/d?sslmode=require&sslmode=disable']],
    ['has a port that is not a number', ['postgres:///d?host=a&port=secret', 'postgres://a:0/d']],
    [
      'has unknown parameters: target_session_attrs (known: host,',
      ['postgres://a/d?target_session_attrs=any'],
    ],
    ['has unknown parameters: schema, pgbouncer (', ['postgres://a/d?schema=secret&pgbouncer=true']],
    [
      'has unknown parameters: one that is not shown (',
      ['postgres://a/d?secret', 'postgres://a/d?se-cret=1'],
    ],
    [
      'has an sslmode other than disable, no-verify,',
      ['prefer', 'allow', 'secret'].map((mode) => `postgres://a?sslmode=${mode}`),
    ],
    ['names in sslrootcert a file that cannot be read (ENOENT)', ['postgres://a?sslrootcert=/no/secret.crt']],
  ])('is refused, without a piece of its values: %s', (problem, urls) => {
    expect(urls.map(problemOf)).toEqual(urls.map(() => expect.stringContaining(problem)));
  });

  it('is refused with all that is wrong in it', () => {
    expect(problemOf('postgres:///d?foo=1&sslmode=x&sslkey=/nowhere')).toMatch(
      /^has unknown parameters: foo .*, has no host, names in sslkey .*, has an sslmode other than/,
    );
  });
});

describe('the files of TLS', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'tls-'));
    writeFileSync(join(directory, 'ca.crt'), rootCertificates[0]!);
    writeFileSync(join(directory, 'broken.crt'), 'no certificate');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('are read at start, so that one that vanishes later ends no connection', () => {
    const url = `postgres://db?sslmode=verify-full&sslrootcert=${join(directory, 'ca.crt')}`;
    expect(serverOf(url)).toEqual({ host: 'db', ssl: { ca: rootCertificates[0] } });
  });

  it.each(['sslrootcert', 'sslcert', 'sslkey'])('are refused when %s holds no PEM', (name) => {
    expect(problemOf(`postgres://db?${name}=${join(directory, 'broken.crt')}`)).toMatch(
      /^names files for TLS that cannot be used \(ERR_\w+\)$/,
    );
  });
});
