import { describe, expect, test } from '@jest/globals';
import { type SettingName, SETTINGS } from './settings.js';

const read = (name: SettingName, text: string): unknown => SETTINGS[name].schema.parse(text);

function problemOf(name: SettingName, text: string): string {
  const result = SETTINGS[name].schema.safeParse(text);
  return result.success ? '(accepted)' : result.error.issues.map(({ message }) => message).join(', ');
}

describe('settings of whole numbers', () => {
  const bounds: [SettingName, number, number][] = [
    ['PORT', 0, 65_535],
    ['METRICS_PORT', 0, 65_535],
    ['DATABASE_POOL_SIZE', 1, 100],
    ['USAGE_RETENTION_DAYS', 1, 36_500],
    ['SHUTDOWN_DELAY_MS', 0, 600_000],
    ['ANONYMOUS_PER_MINUTE', 1, 2_147_483_647],
  ];

  test.each(bounds)('have bounds: %s from %d to %d', (name, min, max) => {
    expect(read(name, String(min))).toBe(min);
    expect(read(name, String(max))).toBe(max);
    const expected = `a whole number from ${min} to ${max}, in plain digits`;
    expect(problemOf(name, String(min - 1))).toBe(expected);
    expect(problemOf(name, String(max + 1))).toBe(expected);
  });

  test.each([
    'abc',
    '1.0',
    '1e2',
    '0x50',
    '+80',
    '-0',
    '080',
    ' 80',
    '80 ',
    '80\n',
    '8_0',
    '٣',
    '9'.repeat(400),
  ])('refuse %j as PORT', (text) => expect(problemOf('PORT', text)).toMatch(/^a whole number/));
});

describe('settings of words', () => {
  test.each(['REDIS_CLUSTER', 'ENFORCE_SUNSET'] as const)('accept exactly true or false as %s', (name) => {
    expect(read(name, 'true')).toBe(true);
    expect(read(name, 'false')).toBe(false);
    for (const text of ['TRUE', 'yes', '1', '0', 'on', ' true'])
      expect(problemOf(name, text)).toBe('true or false');
  });

  test('accept seven values as LOG_LEVEL', () => {
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']) {
      expect(read('LOG_LEVEL', level)).toBe(level);
    }
    for (const text of ['INFO', 'warning', 'verbose']) {
      expect(problemOf('LOG_LEVEL', text)).toBe('one of fatal, error, warn, info, debug, trace, silent');
    }
  });

  test('accept any path without NUL as DATA_DIR', () => {
    expect(read('DATA_DIR', '../some where/ä')).toBe('../some where/ä');
    expect(problemOf('DATA_DIR', './da\0ta')).toBe('a path without NUL bytes');
  });
});

describe.each(['HOST', 'METRICS_HOST'] as const)('%s', (name) => {
  test.each([
    '0.0.0.0',
    '::',
    '::1',
    'fe80::1%eth0',
    'localhost',
    'my_app.web-1.internal',
    'h',
    '1h.example',
  ])('accepts %s', (text) => expect(read(name, text)).toBe(text));

  test.each([
    '127.0.0.1:3000',
    '[::1]',
    'http://localhost',
    'a b',
    ' localhost',
    '-a',
    'a-',
    'a..b',
    'a.',
    '256.0.0.1',
    '127.1',
    '3000',
    'a'.repeat(64),
    'a.'.repeat(127) + 'aa',
  ])('refuses %j', (text) =>
    expect(problemOf(name, text)).toBe('a host name or an IP address, without port or brackets'),
  );
});

describe('DATABASE_URL', () => {
  test.each([
    'postgres://localhost',
    'postgresql://user:p%40ss@db.example:5433/animals?sslmode=require',
    'postgres://user:pa,ss@[::1]/animals',
    'postgres:///animals?host=/run/postgresql',
    'postgres://user:secret@/animals?host=/run/postgresql',
    'postgres://%2Frun%2Fpostgresql/animals',
  ])('accepts %s', (text) => expect(read('DATABASE_URL', text)).toBe(text));

  test.each([
    ['mysql://localhost/animals', 'has another scheme'],
    ['localhost:5432', 'has another scheme'],
    ['postgres:localhost', 'has another scheme'],
    ['postgres:///animals', 'has no host'],
    ['postgres://user:secret@/animals', 'has no host'],
    ['postgres:///animals?host=', 'has no host'],
    ['postgres://user:pa/ss@db/animals', 'does not parse'],
    ['postgres://user:100%@db/animals', 'does not parse'],
    ['postgres://db:99999/animals', 'does not parse'],
    ['postgres://db/animals\n', 'does not parse'],
    ['postgres://user:pa ss@db/animals', 'does not parse'],
  ])('refuses %j: it %s', (text, problem) => {
    expect(problemOf('DATABASE_URL', text)).toContain(
      `a postgres:// or postgresql:// URL with a host or ?host=; this one ${problem}`,
    );
  });
});

describe('REDIS_URL', () => {
  test.each([
    ['redis://localhost', ['redis://localhost']],
    ['rediss://user:pa,ss@cache:6380/2', ['rediss://user:pa,ss@cache:6380/2']],
    ['redis://a:1,redis://b:2, rediss://c', ['redis://a:1', 'redis://b:2', 'rediss://c']],
  ])('reads %s', (text, urls) => expect(read('REDIS_URL', text)).toEqual(urls));

  test.each([
    ['localhost:6379', 'entry 1 has another scheme'],
    ['redis://a,b', 'entry 1 does not name one host'],
    ['redis://a,', 'entry 1 does not name one host'],
    ['redis:///0', 'entry 1 does not name one host'],
    ['redis://a/animals', 'entry 1 has a path that is not a database number'],
    ['redis://a,redis://b/0/1', 'entry 2 has a path that is not a database number'],
    ['redis://:100%@a', 'entry 1 does not parse'],
    ['redis://a:x', 'entry 1 does not parse'],
  ])('refuses %s: %s', (text, problem) => {
    expect(problemOf('REDIS_URL', text)).toContain(`a redis:// or rediss:// URL; ${problem}`);
  });
});

describe.each(['PUBLIC_BASE_URL', 'STAGING_BASE_URL'] as const)('%s', (name) => {
  test.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['http://localhost:3000/shop/v1', 'http://localhost:3000/shop/v1'],
    ['https://API.example.com:443/v1', 'https://api.example.com/v1'],
  ])('reads %s as %s', (text, url) => expect(read(name, text)).toBe(url));

  const ending = 'a path ending in /v1 and nothing after it';
  const absolute = 'an absolute http:// or https:// URL';
  test.each([
    ['/v1', absolute],
    ['api.example.com/v1', absolute],
    ['ftp://example.com/v1', absolute],
    ['https:///v1', absolute],
    ['https:example.com/v1', absolute],
    ['https://exa mple.com/v1', absolute],
    ['https://example.com/v1\n', absolute],
    ['https://example.com', ending],
    ['https://example.com/v1/', ending],
    ['https://example.com/xv1', ending],
    ['https://example.com/v2', ending],
    ['https://v1', ending],
    ['https://example.com/v1?', ending],
    ['https://example.com/?/v1', ending],
    ['https://example.com/v1#top', ending],
    ['https://user@example.com/v1', 'no user or password'],
    ['https://:secret@example.com/v1/', `${ending}, no user or password`],
  ])('refuses %j', (text, problem) => expect(problemOf(name, text)).toBe(problem));
});

test('OTEL_EXPORTER_OTLP_ENDPOINT is an http or https URL, kept as given', () => {
  expect(read('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318')).toBe('http://collector:4318');
  expect(problemOf('OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318')).toBe(
    'an absolute http:// or https:// URL',
  );
  expect(problemOf('OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector')).toBe(
    'an absolute http:// or https:// URL',
  );
});

describe('CORS_ORIGINS', () => {
  test('lists origins', () => {
    const text = 'https://shop.example.com, http://localhost:5173,http://[::1]';
    expect(read('CORS_ORIGINS', text)).toEqual([
      'https://shop.example.com',
      'http://localhost:5173',
      'http://[::1]',
    ]);
  });

  test.each([
    ['*', 'entry 1 is *, which would admit every site'],
    ['https://a.example,null', 'entry 2 is null, which any sandboxed page can claim'],
    ['https://a.example,', 'entry 2 is empty'],
    ['shop.example.com', 'entry 1 does not start with http:// or https://'],
    ['ws://a.example', 'entry 1 does not start with'],
    ['https://a.example/', 'entry 1 is not in the form a browser sends'],
    ['https://a.example/shop', 'entry 1 is not in the form'],
    ['https://A.example', 'entry 1 is not in the form'],
    ['https://a.example:443', 'entry 1 is not in the form'],
    ['https://user@a.example', 'entry 1 is not in the form'],
    ['https://*.example', '(accepted)'],
    ['https://a.example https://b.example', 'entry 1 is not in the form'],
    ['*,null', 'entry 1 is *, which would admit every site: name them, entry 2 is null'],
  ])('with %s: %s', (text, problem) => expect(problemOf('CORS_ORIGINS', text)).toContain(problem));
});

describe('TRUST_PROXY', () => {
  test('is a hop count', () => {
    expect(read('TRUST_PROXY', '1')).toBe(1);
    expect(read('TRUST_PROXY', '32')).toBe(32);
  });

  test.each([
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    ['::1,0.0.0.0/0', ['::1', '0.0.0.0/0']],
    ['::ffff:10.0.0.1', ['::ffff:10.0.0.1']],
    ['192.168.1.7/32,2001:DB8:0::1/128', ['192.168.1.7/32', '2001:DB8:0::1/128']],
  ])('reads %s', (text, entries) => expect(read('TRUST_PROXY', text)).toEqual(entries));

  test.each([
    ['0', 'entry 1 is not an IP address or CIDR'],
    ['33', 'entry 1 is not'],
    ['-1', 'entry 1 is not'],
    ['true', 'entry 1 is not'],
    ['loopback', 'entry 1 is not'],
    ['10.1', 'entry 1 is not'],
    ['010.0.0.1', 'entry 1 is not'],
    ['0x7f.0.0.1', 'entry 1 is not'],
    ['256.0.0.1', 'entry 1 is not'],
    ['fe80::1%eth0', 'entry 1 is not'],
    ['1,10.0.0.1', 'entry 1 is not'],
    ['10.0.0.1,,10.0.0.2', 'entry 2 is empty'],
    ['10.0.0.0/33', 'entry 1 has a wrong prefix length'],
    ['10.0.0.0/', 'entry 1 has a wrong prefix length'],
    ['10.0.0.0/08', 'entry 1 has a wrong prefix length'],
    ['10.0.0.0/8/8', 'entry 1 has a wrong prefix length'],
    ['10.0.0.0/255.0.0.0', 'entry 1 has a wrong prefix length'],
    ['fd00::/129', 'entry 1 has a wrong prefix length'],
    ['10.0.0.5/8', 'entry 1 has bits set behind its prefix'],
    ['10.0.0.0/8,fd00::1/8', 'entry 2 has bits set behind its prefix'],
  ])('refuses %s: %s', (text, problem) => {
    expect(problemOf('TRUST_PROXY', text)).toContain(
      `a hop count from 1 to 32, or IP addresses and CIDRs separated by commas; ${problem}`,
    );
  });
});
