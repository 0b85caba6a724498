import { describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { API_ANSWERS } from '../support/http/api-answers.js';
import { type Answer, type Call, requestsLeft } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { exchangeRaw, get, LAST } from '../support/http/raw.js';
import { ownService, sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';
import { untilMinuteHasRoom } from '../support/until.js';

const ORIGIN = 'https://shop.example';
const OTHER_ORIGIN = 'http://localhost:5173';
const REQUIRES_TLS = 'max-age=31536000';
const FOREIGN =
  `https://evil.example http://shop.example https://shop.example:444 https://shop.example.evil.example https://SHOP.example
  https://shop.example/ null *`.split(/\s+/);
/** Every header that a page may need to read. */
const EXPOSED =
  `x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset ratelimit-policy ratelimit link x-next-cursor retry-after
  x-request-id x-stability etag location deprecation sunset idempotent-replayed`.split(/\s+/);
/** Nothing else is exposed. */
const HIDDEN = ['x-content-type-options', 'cache-control', 'www-authenticate'];

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
  Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));

describe('CORS, with a public address behind TLS,', () => {
  const service = ownService(anyKind, {
    CORS_ORIGINS: `${ORIGIN},${OTHER_ORIGIN}`,
    PUBLIC_BASE_URL: 'https://store.example/v1',
  });
  const store = storeOf(service);

  const options = (path: string, headers: Record<string, string>, more: Partial<Call> = {}) =>
    service.call({ method: 'OPTIONS', path, headers, ...more });

  it.each(
    '/v1/pets /v1/pets/1 /v1/nowhere /nowhere /docs /health/live /v1/%zz /v1/pets?limit=0 *'.split(' '),
  )('answers 204 to a preflight from an allowed origin at %s, whatever key and body it has', async (path) => {
    for (const origin of [ORIGIN, OTHER_ORIGIN]) {
      for (const more of [{}, { key: 'nobody', body: 'x'.repeat(70_000) }]) {
        const answer = await options(path, preflight(origin), more);
        expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([204, '', undefined]);
        expect(answer.headers['access-control-allow-origin']).toBe(origin);
        expect(answer.headers['x-request-id']).toBeDefined();
        expect(listed(answer, 'vary')).toContain('origin');
      }
    }
  });

  it('allows every method and header of the API', async () => {
    const answer = await options('/v1/pets/1', preflight(ORIGIN, 'PATCH'));
    const methods = ['get', 'head', 'post', 'patch', 'delete'];
    const headers =
      'authorization content-type idempotency-key if-match if-none-match prefer traceparent tracestate x-request-id'.split(
        ' ',
      );
    expect(listed(answer, 'access-control-allow-methods')).toEqual(expect.arrayContaining(methods));
    expect(listed(answer, 'access-control-allow-headers').sort()).toEqual(headers);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('closes the connection after a preflight with Upgrade', async () => {
    const asked = `Origin: ${ORIGIN}\r\nAccess-Control-Request-Method: POST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
    const answers = await exchangeRaw(service.url, get(asked).replace('GET', 'OPTIONS') + get(LAST), '');
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([[204, 'close']]);
  });

  it.each<[string, Record<string, string>]>([
    ...FOREIGN.map((origin): [string, Record<string, string>] => [`the origin ${origin}`, preflight(origin)]),
    ['no requested method', { origin: ORIGIN }],
    ['an empty requested method', { origin: ORIGIN, 'access-control-request-method': '' }],
    ['no origin', { 'access-control-request-method': 'GET' }],
    ['an empty origin', { origin: '', 'access-control-request-method': 'GET' }],
    ['no header', {}],
  ])('answers OPTIONS with %s like any unsupported method', async (_what, headers) => {
    const { key } = store;
    const allowed = await options('/v1/pets', headers, { key });
    expect(allowed.headers.allow).toBe('GET, HEAD, POST');
    const answers = [
      [await options('/v1/pets', headers), 'missing_api_key'],
      [allowed, 'method_not_allowed'],
      [await options('/v1/nowhere', headers, { key }), 'route_not_found'],
      [await options('/docs', headers), 'method_not_allowed'],
      [await options('/nowhere', headers), 'route_not_found'],
    ] as const;
    for (const [answer, code] of answers) {
      expectError(answer, code);
      expect(answer.headers['access-control-allow-methods']).toBeUndefined();
      const readableBy = headers.origin === ORIGIN ? ORIGIN : undefined;
      expect(answer.headers['access-control-allow-origin']).toBe(readableBy);
      expect(listed(answer, 'vary')).toContain('origin');
    }
  });

  // @fastify/cors registers a route of its own, which would answer before the guards.
  it.each(['/-/preflight', '/*', '*'])('counts OPTIONS %s like any unknown path', async (path) => {
    await untilMinuteHasRoom();
    const before = requestsLeft(await options('/nowhere', {}));
    const answer = await options(path, {});
    expectError(answer, 'route_not_found');
    expect(requestsLeft(answer)).toBe(before - 1);
  });

  it('guards OPTIONS /v1//preflight like any unknown path of the API', async () => {
    expectError(await options('/v1//preflight', {}), 'missing_api_key');
    expectError(await options('/v1//preflight', {}, { key: store.key }), 'route_not_found');
  });

  it.each<[string, number, Call]>([
    ...API_ANSWERS.filter(([what]) => what !== 'OPTIONS'),
    ['a missing key', 401, { path: '/v1/pets', key: undefined }],
    ['a page', 200, { path: '/docs' }],
    ['the document', 200, { path: '/openapi.json' }],
    ['health', 200, { path: '/health/live' }],
    ['an unknown path outside the API', 404, { path: '/nowhere' }],
  ])(
    'allows a page of an allowed origin to read the response, which requires TLS: %s (%i)',
    async (_what, status, request) => {
      const from = (origin: string) => store.send({ ...request, headers: { origin, ...request.headers } });
      const answer = await from(ORIGIN);
      expect(answer.status).toBe(status);
      expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(listed(answer, 'vary')).toContain('origin');
      const exposed = listed(answer, 'access-control-expose-headers');
      expect(exposed.sort()).toEqual([...EXPOSED].sort());
      for (const name of HIDDEN) expect(exposed).not.toContain(name);
      expect(answer.headers['strict-transport-security']).toBe(REQUIRES_TLS);
    },
  );

  it('requires TLS in the response to malformed HTTP', async () => {
    const [answer] = await exchangeRaw(service.url, 'garbage\r\n\r\n');
    expect(answer!.headers['strict-transport-security']).toBe(REQUIRES_TLS);
  });

  it('lets only the documentation call the public address', async () => {
    const sourcesOf = async (path: string) =>
      /connect-src ([^;]+);/.exec(String((await store.get(path)).headers['content-security-policy']))?.[1];
    for (const path of ['/docs', '/docs/errors'])
      expect(await sourcesOf(path)).toBe("'self' https://store.example");
    expect(await sourcesOf('/console')).toBe("'self'");
  });

  it.each(FOREIGN)('sends no CORS header that allows a page of %s', async (origin) => {
    const answer = await store.send({ path: '/v1/pets', headers: { origin } });
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer).filter((name) => name.includes('allow'))).toEqual([]);
  });
});

describe('CORS without CORS_ORIGINS', () => {
  const store = storeOf(sharedService(anyKind));

  it('is off', async () => {
    const asked = { method: 'OPTIONS', path: '/v1/pets', headers: preflight(ORIGIN) };
    expectError(await store.send({ ...asked, key: undefined }), 'missing_api_key');
    expectError(await store.send(asked), 'method_not_allowed');
    const answer = await store.send({ path: '/v1/pets', headers: { origin: ORIGIN } });
    expect([answer.status, corsHeaders(answer)]).toEqual([200, []]);
  });
});
