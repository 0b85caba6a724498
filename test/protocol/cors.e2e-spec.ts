import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type Answer, type Call } from '../support/http/client.js';
import { anyKind, databaseKinds, type TestDatabase } from '../support/databases.js';
import { API_ANSWERS } from '../support/http/api-answers.js';
import { expectError } from '../support/http/expect-error.js';
import { exchangeRaw } from '../support/http/raw-answers.js';
import { cleanUp, Service, sharedService } from '../support/service.js';
import { until, untilMinuteHasRoom } from '../support/until.js';

const ORIGIN = 'https://shop.example';
const OTHER_ORIGIN = 'http://localhost:5173';
const FOREIGN = [
  'https://evil.example',
  'http://shop.example',
  'https://shop.example:444',
  'https://shop.example.evil.example',
  'https://SHOP.example',
  'https://shop.example/',
  'null',
  '*',
];
/** Every header that a page may need to read. */
const EXPOSED =
  `X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset RateLimit-Policy RateLimit Link X-Next-Cursor Retry-After
  X-Request-Id X-Stability ETag Location Deprecation Sunset Idempotent-Replayed`.split(/\s+/);

const preflight = (origin: string, method = 'POST') => ({
  origin,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization,content-type',
});

function listed(answer: Answer, header: string): string[] {
  const value = answer.headers[header];
  return typeof value === 'string' ? value.split(',').map((name) => name.trim().toLowerCase()) : [];
}

const corsHeaders = (answer: Answer) =>
  Object.keys(answer.headers).filter((name) => name.startsWith('access-control-allow'));

describe('CORS', () => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    // These tests do not depend on the kind of database.
    database = await databaseKinds.at(-1)!.create();
    service = await Service.start({ ...database.env, CORS_ORIGINS: `${ORIGIN},${OTHER_ORIGIN}` });
    key = await service.issueKey();
  });
  afterAll(cleanUp);

  const options = (path: string, headers: Record<string, string>, withKey?: string) =>
    call(service.url, { method: 'OPTIONS', path, headers, key: withKey });

  it.each([
    '/v1/pets',
    '/v1/pets/1',
    '/v1/nowhere',
    '/nowhere',
    '/docs',
    '/health/live',
    '/v1/%zz',
    '/v1/pets?limit=0',
    '*',
  ])('answers 204 to a preflight without a key from an allowed origin at %s', async (path) => {
    for (const origin of [ORIGIN, OTHER_ORIGIN]) {
      const answer = await options(path, preflight(origin));
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers['content-length']).toBeUndefined();
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['x-request-id']).toBeDefined();
      expect(listed(answer, 'vary')).toContain('origin');
    }
  });

  it('logs a preflight without a route', async () => {
    const { headers } = await options('/v1/pets', preflight(ORIGIN));
    const line = await until(() => service.log.find((one) => one.requestId === headers['x-request-id']));
    expect(line).toMatchObject({ method: 'OPTIONS', route: null, status: 204 });
  });

  it('allows every method and header of the API', async () => {
    const answer = await options('/v1/pets/1', preflight(ORIGIN, 'PATCH'));
    expect(listed(answer, 'access-control-allow-methods')).toEqual(
      expect.arrayContaining(['get', 'head', 'post', 'patch', 'delete']),
    );
    expect(listed(answer, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'if-none-match',
        'x-request-id',
      ]),
    );
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each(['nonsense', '{"a":', 'x'.repeat(70_000)])(
    'answers 204 to a preflight with an invalid body and key',
    async (body) => {
      const answer = await call(service.url, {
        method: 'OPTIONS',
        path: '/v1/pets',
        body,
        headers: { ...preflight(ORIGIN), authorization: 'Bearer nobody' },
      });
      expect(answer.status).toBe(204);
    },
  );

  it('closes the connection after a preflight with Upgrade', async () => {
    const asked = `Origin: ${ORIGIN}\r\nAccess-Control-Request-Method: POST\r\nUpgrade: websocket\r\n`;
    const next = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const text = `OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n${asked}\r\n${next}`;
    const answers = await exchangeRaw(service.url, text, '');
    expect(answers.map(({ status }) => status)).toEqual([204]);
    expect(answers[0]!.headers.get('connection')).toBe('close');
  });

  it.each(FOREIGN)('answers a preflight from %s like any OPTIONS request', async (origin) => {
    const headers = preflight(origin);
    const answers = [
      [await options('/v1/pets', headers), 'missing_api_key'],
      [await options('/v1/pets', headers, key), 'method_not_allowed'],
      [await options('/v1/nowhere', headers, key), 'route_not_found'],
      [await options('/docs', headers), 'method_not_allowed'],
      [await options('/nowhere', headers), 'route_not_found'],
    ] as const;
    for (const [answer, code] of answers) {
      expectError(answer, code);
      expect(corsHeaders(answer)).toEqual([]);
      expect(listed(answer, 'vary')).toContain('origin');
    }
  });

  it.each([
    ['no requested method', { origin: ORIGIN }],
    ['an empty requested method', { origin: ORIGIN, 'access-control-request-method': '' }],
    ['no origin', { 'access-control-request-method': 'GET' }],
    ['an empty origin', { origin: '', 'access-control-request-method': 'GET' }],
    ['no header', {}],
  ])(
    'answers OPTIONS with %s like any unsupported method',
    async (_what, headers: Record<string, string>) => {
      expectError(await options('/v1/pets', headers), 'missing_api_key');
      const answer = await options('/v1/pets', headers, key);
      expectError(answer, 'method_not_allowed');
      expect(answer.headers.allow).toBe('GET, HEAD, POST');
    },
  );

  // @fastify/cors registers a route of its own, which would answer before the guards.
  it.each(['/-/preflight', '/*', '*'])('counts OPTIONS %s like any unknown path', async (path) => {
    await untilMinuteHasRoom();
    const before = await options('/nowhere', {});
    const answer = await options(path, {});
    expectError(answer, 'route_not_found');
    const left = [before, answer].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(left[1]).toBe(left[0]! - 1);
  });

  it('guards OPTIONS /v1//preflight like any unknown path of the API', async () => {
    expectError(await options('/v1//preflight', {}), 'missing_api_key');
    expectError(await options('/v1//preflight', {}, key), 'route_not_found');
  });

  it.each<[string, number, Call]>([
    ...API_ANSWERS.filter(([what]) => what !== 'OPTIONS'),
    ['large headers', 431, { path: '/v1/pets', headers: { 'x-long': 'a'.repeat(16_384) } }],
    ['a missing key', 401, { path: '/v1/pets', key: undefined }],
    ...['/docs', '/openapi.json', '/health/live'].map((path): [string, number, Call] => [
      path,
      200,
      { path },
    ]),
    ['an unknown path outside the API', 404, { path: '/nowhere' }],
  ])('allows a page of an allowed origin to read the response: %s (%i)', async (_what, status, request) => {
    const headers = { origin: ORIGIN, ...request.headers };
    const answer = await call(service.url, { key, ...request, headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(listed(answer, 'vary')).toContain('origin');
    const exposed = listed(answer, 'access-control-expose-headers');
    for (const name of EXPOSED) expect(exposed).toContain(name.toLowerCase());
  });

  it.each(FOREIGN)('sends no CORS header to a page of %s', async (origin) => {
    const answer = await call(service.url, { path: '/v1/pets', key, headers: { origin } });
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer)).toEqual([]);
  });
});

describe('CORS without CORS_ORIGINS', () => {
  const service = sharedService(anyKind);

  it('is off', async () => {
    const key = await service.issueKey();
    const asked = { method: 'OPTIONS', path: '/v1/pets', headers: preflight(ORIGIN) };
    expectError(await call(service.url, asked), 'missing_api_key');
    expectError(await call(service.url, { ...asked, key }), 'method_not_allowed');
    const answer = await call(service.url, { path: '/v1/pets', key, headers: { origin: ORIGIN } });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
