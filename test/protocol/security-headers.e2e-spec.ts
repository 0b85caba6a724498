import { describe, expect, it } from '@jest/globals';
import { call, callRaw, type Call } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { API_ANSWERS } from '../support/http/api-answers.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

const PAGE =
  '/docs /docs/page.js /docs/page.css /docs/swagger-ui.css /docs/swagger-ui-bundle.js /docs/errors /usage'.split(
    ' ',
  );
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Every kind of response, by the part of the service that sends it. */
const ANSWERS: [what: string, status: number, call: Call][] = [
  ...PAGE.map((path): [string, number, Call] => ['the page', 200, { path }]),
  ['the document', 200, { path: '/openapi.json' }],
  ['the document in YAML', 200, { path: '/openapi.yaml' }],
  ['health', 200, { path: '/health/live' }],
  ['an unknown path under /health', 404, { path: '/health/nothing' }],
  ['a refused key', 401, { path: '/v1/pets', headers: { authorization: 'Bearer x' } }],
  ['an unknown path outside the API', 404, { path: '/nothing' }],
  ['large headers', 431, { path: '/v1/pets', headers: { x: 'x'.repeat(17_000) } }],
  ...API_ANSWERS,
];

// cors.e2e-spec.ts has a public address behind TLS, behind-a-proxy.e2e-spec.ts one without TLS.
describe('security headers', () => {
  const service = sharedService(anyKind);
  const store = storeOf(service);

  it.each(ANSWERS)('forbid sniffing and name no software: %s, %i %j', async (_what, status, options) => {
    const answer = await store.send(options);
    expect(answer.status).toBe(status);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    for (const name of ['strict-transport-security', 'server', 'x-powered-by', 'via'])
      expect(answer.headers).not.toHaveProperty(name);
  });

  it('are the same for malformed HTTP', async () => {
    const answer = await callRaw(service.url, 'garbage\r\n\r\n');
    expect(answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/);
    expect(answer).not.toMatch(/\r\n(Strict-Transport-Security|Server|X-Powered-By):/i);
  });

  it.each(PAGE)('isolate the page: %s', async (path) => {
    const { headers } = await call(service.url, { path });
    expect(headers['content-security-policy']).toBe(POLICY);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-stability']).toBeUndefined();
  });
});
