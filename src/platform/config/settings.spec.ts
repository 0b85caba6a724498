import { describe, expect, test } from '@jest/globals';
import { settingsOf } from './settings.js';

const schemaOf = (name: string) => settingsOf().find((setting) => setting.name === name)!.schema;
const read = (name: string, text: string): unknown => schemaOf(name).parse(text);

function problemOf(name: string, text: string): string {
  const result = schemaOf(name).safeParse(text);
  return result.success ? '(accepted)' : result.error.issues.map(({ message }) => message).join(', ');
}

/** Expects that each text is kept as it is. */
function expectKept(name: string, texts: string[]): void {
  expect(texts.map((text) => read(name, text))).toEqual(texts);
}

/** Expects that each text is refused with this problem, or a longer one. */
function expectRefused(name: string, texts: string[], problem: string): void {
  const refused = texts.map((text) => [text, problemOf(name, text)]);
  expect(refused).toEqual(texts.map((text) => [text, expect.stringContaining(problem)]));
}

test.each<[string, number, number]>([
  ['PORT', 0, 65_535],
  ['METRICS_PORT', 0, 65_535],
  ['DATABASE_POOL_SIZE', 1, 100],
  ['USAGE_RETENTION_DAYS', 1, 36_500],
  ['EVENT_RETENTION_DAYS', 7, 3_650],
  ['SHUTDOWN_DELAY_MS', 0, 600_000],
  ['ANONYMOUS_PER_MINUTE', 1, 2_147_483_647],
])('%s is a whole number from %d to %d', (name, min, max) => {
  expect([read(name, String(min)), read(name, String(max))]).toEqual([min, max]);
  const problem = `a whole number from ${min} to ${max}, in plain digits`;
  expectRefused(name, [String(min - 1), String(max + 1), '9'.repeat(400)], problem);
  expectRefused(name, ['abc', '1.0', '1e2', '0x50', '+80', '-0', '080', ' 80', '80\n', '8_0', '٣'], problem);
});

test('KEEP_ALIVE_SECONDS is read as milliseconds', () => {
  expect([read('KEEP_ALIVE_SECONDS', '1'), read('KEEP_ALIVE_SECONDS', '610')]).toEqual([1_000, 610_000]);
  expectRefused('KEEP_ALIVE_SECONDS', ['0', '3601'], 'a whole number from 1 to 3600');
});

test.each(['REDIS_CLUSTER', 'ENFORCE_SUNSET', 'SANDBOX', 'WEBHOOK_DELIVERY'])(
  '%s is true or false',
  (name) => {
    expect([read(name, 'true'), read(name, 'false')]).toEqual([true, false]);
    expectRefused(name, ['TRUE', 'yes', '1', '0', 'on', ' true'], 'true or false');
  },
);

test('LOG_LEVEL is one of seven words', () => {
  expectKept('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']);
  const problem = 'one of fatal, error, warn, info, debug, trace, silent';
  expectRefused('LOG_LEVEL', ['INFO', 'warning', 'verbose'], problem);
});

test('DATA_DIR is any path without NUL', () => {
  expectKept('DATA_DIR', ['../some where/ä']);
  expectRefused('DATA_DIR', ['./da\0ta'], 'a path without NUL bytes');
});

test.each(['HOST', 'METRICS_HOST'])('%s is a host name or an IP address', (name) => {
  expectKept(name, ['0.0.0.0', '::', '::1', 'fe80::1%eth0']);
  expectKept(name, ['localhost', 'my_app.web-1.internal', 'h', '1h.example']);
  const problem = 'a host name or an IP address, without port or brackets';
  expectRefused(name, ['127.0.0.1:3000', '[::1]', 'http://localhost', '256.0.0.1', '127.1', '3000'], problem);
  expectRefused(name, ['a b', ' localhost', '-a', 'a-', 'a..b', 'a.'], problem);
  expectRefused(name, ['a'.repeat(64), 'a.'.repeat(127) + 'aa'], problem);
});

test('DATABASE_URL is a postgres:// or postgresql:// URL', () => {
  const problem = 'a postgres:// or postgresql:// URL of one server; this one has another scheme';
  expectRefused(
    'DATABASE_URL',
    ['mysql://localhost/animals', 'localhost:5432', 'postgres:localhost'],
    problem,
  );
});

describe('REDIS_URL', () => {
  test.each([
    ['redis://localhost', ['redis://localhost']],
    ['rediss://user:pa,ss@cache:6380/2', ['rediss://user:pa,ss@cache:6380/2']],
    ['redis://a:1,redis://b:2, rediss://c', ['redis://a:1', 'redis://b:2', 'rediss://c']],
  ])('reads %s', (text, urls) => expect(read('REDIS_URL', text)).toEqual(urls));

  test.each([
    ['entry 1 has another scheme', ['localhost:6379']],
    ['entry 1 does not name one host', ['redis://a,b', 'redis://a,', 'redis:///0']],
    ['entry 1 has a path that is not a database number', ['redis://a/animals']],
    ['entry 2 has a path that is not a database number', ['redis://a,redis://b/0/1']],
    ['entry 1 does not parse', ['redis://:100%@a', 'redis://a:x']],
    ['entry 1 has parameters, and takes none', ['redis://a?connectTimeout=5000', 'rediss://a/0?family=6']],
  ])('is refused: %s', (problem, texts) => {
    expectRefused('REDIS_URL', texts, `a redis:// or rediss:// URL; ${problem}`);
  });
});

describe.each(['PUBLIC_BASE_URL', 'STAGING_BASE_URL'])('%s', (name) => {
  test.each([
    ['http://localhost:3000/shop/v1', 'http://localhost:3000/shop/v1'],
    ['https://API.example.com:443/v1', 'https://api.example.com/v1'],
  ])('reads %s as %s', (text, url) => expect(read(name, text)).toBe(url));

  test('is an absolute URL that ends in /v1, without a user', () => {
    const absolute = 'an absolute http:// or https:// URL';
    expectRefused(name, ['/v1', 'api.example.com/v1', 'ftp://example.com/v1', 'https:///v1'], absolute);
    expectRefused(name, ['https:a.example/v1', 'https://a b.example/v1', 'https://a.example/v1\n'], absolute);
    const ending = 'a path ending in /v1 and nothing after it';
    expectRefused(name, ['https://a.example', 'https://v1', 'https://a.example/xv1'], ending);
    expectRefused(name, ['https://a.example/v1/', 'https://a.example/v1?'], ending);
    expectRefused(name, ['https://a.example/v1#top'], 'must be percent-encoded');
    expectRefused(name, ['https://a.example/?/v1'], ending);
    expectRefused(name, ['https://user@a.example/v1'], 'no user or password');
    expectRefused(name, ['https://:secret@a.example/v1/'], `${ending}, no user or password`);
  });
});

test.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
  '%s is an http or https URL, kept as given',
  (name) => {
    expectKept(name, ['http://collector:4318']);
    expectRefused(name, ['collector:4318', 'grpc://collector'], 'an absolute http:// or https:// URL');
  },
);

test('OTEL_TRACES_EXPORTER and OTEL_SDK_DISABLED take what the service can do', () => {
  expectRefused('OTEL_TRACES_EXPORTER', ['console', 'otlp,console', 'NONE'], 'one of otlp, none');
  expectRefused('OTEL_SDK_DISABLED', ['1', 'yes'], 'true or false');
});

test('NODE_ENV is production only by the exact word, and no word that may be meant for it', () => {
  expect(['production', 'test'].map((text) => read('NODE_ENV', text))).toEqual([true, false]);
  expectRefused(
    'NODE_ENV',
    ['Production', 'production ', ' production', 'prod'],
    'production, in lower case',
  );
});

describe('CORS_ORIGINS', () => {
  test('lists origins', () => {
    const text = 'https://shop.example.com, http://localhost:5173,http://[::1]';
    expect(read('CORS_ORIGINS', text)).toEqual(text.split(/, ?/));
  });

  test.each([
    ['entry 1 is *, which would admit every site: name them, entry 2 is null', ['*,null']],
    ['entry 2 is empty', ['https://a.example,']],
    ['entry 1 has a *, which matches no origin', ['https://*.shop.example.com']],
    ['entry 1 does not start with http:// or https://', ['shop.example.com', 'ws://a.example']],
    ['entry 1 is not in the form a browser sends', ['https://a.example/', 'https://a.example/shop']],
    ['entry 1 is not in the form a browser sends', ['https://A.example', 'https://a.example:443']],
    ['entry 1 is not in the form a browser sends', ['https://user@a.example', 'https://a.b https://c.d']],
  ])('is refused: %s', (problem, texts) => expectRefused('CORS_ORIGINS', texts, problem));
});

describe('TRUST_PROXY', () => {
  test.each([
    ['1', 1],
    ['32', 32],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    ['::ffff:10.0.0.1', ['::ffff:10.0.0.1']],
    ['192.168.1.7/32,2001:DB8:0::1/128', ['192.168.1.7/32', '2001:DB8:0::1/128']],
  ])('reads %s', (text, value) => expect(read('TRUST_PROXY', text)).toEqual(value));

  test.each([
    ['entry 1 is not an IP address or CIDR', ['0', '33', '-1', 'true', 'loopback', '1,10.0.0.1']],
    [
      'entry 1 is not an IP address or CIDR',
      ['10.1', '010.0.0.1', '0x7f.0.0.1', '256.0.0.1', 'fe80::1%eth0'],
    ],
    ['entry 2 is empty', ['10.0.0.1,,10.0.0.2']],
    [
      'entry 1 has a wrong prefix length',
      ['0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/8/8'],
    ],
    ['entry 1 has a wrong prefix length', ['10.0.0.0/255.0.0.0', 'fd00::/129']],
    ['entry 1 has bits set behind its prefix', ['10.0.0.5/8']],
    ['entry 2 has bits set behind its prefix', ['10.0.0.0/8,fd00::1/8']],
  ])('is refused: %s', (problem, texts) => {
    const expected = `a hop count from 1 to 32, or IP addresses and CIDRs separated by commas; ${problem}`;
    expectRefused('TRUST_PROXY', texts, expected);
  });
});

test('WEBHOOK_SECRETS_KEY is 32 bytes in base64', () => {
  const text = Buffer.alloc(32, 0xfe).toString('base64');
  expect(read('WEBHOOK_SECRETS_KEY', text)).toEqual(Buffer.alloc(32, 0xfe));
  const url = Buffer.alloc(32, 0xfe).toString('base64url');
  const others = [16, 31, 33].map((length) => Buffer.alloc(length).toString('base64'));
  expectRefused('WEBHOOK_SECRETS_KEY', ['x', `${text} `, url, ...others], '32 random bytes in base64');
});

test('WEBHOOK_ALLOWED_NETWORKS are addresses and networks', () => {
  expect(read('WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8, fd00::1')).toEqual(['10.0.0.0/8', 'fd00::1']);
  expectRefused('WEBHOOK_ALLOWED_NETWORKS', ['1', 'localhost'], 'entry 1 is not an IP address or CIDR');
});

test('SUNSET_BROWNOUTS are intervals, whose end is excluded', () => {
  const text = '2026-12-01T10:00Z/2026-12-01T11:00Z, 2026-12-02T10:00:30Z/2026-12-03T00:00Z';
  expect(read('SUNSET_BROWNOUTS', text)).toEqual([
    { fromMs: Date.UTC(2026, 11, 1, 10), untilMs: Date.UTC(2026, 11, 1, 11) },
    { fromMs: Date.UTC(2026, 11, 2, 10, 0, 30), untilMs: Date.UTC(2026, 11, 3) },
  ]);
  const [from, until] = ['2026-12-01T10:00Z', '2026-12-01T11:00Z'];
  const wrong = [
    'x',
    from,
    `${until}/${from}`,
    `${from}/${from}`,
    `${from}/${until},`,
    `${from}/2026-12-01`,
    `2026-02-30T10:00Z/${until}`,
  ];
  expectRefused('SUNSET_BROWNOUTS', wrong, 'intervals such as 2026-12-01T10:00Z/2026-12-01T11:00Z');
});
