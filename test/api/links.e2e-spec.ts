import { describe, expect, it } from '@jest/globals';
import { embedded } from '../support/databases.js';
import { call } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { ownService } from '../support/service.js';
import { storeOf } from '../support/store.js';

const PUBLIC = 'http://api.example.com/store/v1';
const STAGING = 'https://staging.example.com/v1';

describe('the service with PUBLIC_BASE_URL and ENFORCE_SUNSET', () => {
  const service = ownService(embedded, {
    PUBLIC_BASE_URL: PUBLIC,
    STAGING_BASE_URL: STAGING,
    ENFORCE_SUNSET: 'true',
  });
  const store = storeOf(service);
  const reader = storeOf(service, { readOnly: true });

  it('builds links from PUBLIC_BASE_URL, which requires TLS only if it has it', async () => {
    const made = await store.post({ name: 'a', categoryId: 1 });
    expect(made.headers.location).toBe(`${PUBLIC}/pets/1`);
    expect(made.headers['strict-transport-security']).toBeUndefined();
    await store.create('b', 1);
    const { link, 'x-next-cursor': cursor } = (await store.list('limit=1')).headers;
    expect(link).toBe(`<${PUBLIC}/pets?limit=1&cursor=${String(cursor)}>; rel="next"`);
    const { servers } = JSON.parse((await call(service.url, { path: '/openapi.json' })).text) as {
      servers: { url: string }[];
    };
    expect(servers.map(({ url }) => url)).toEqual([PUBLIC, STAGING]);
  });

  it('answers endpoint_removed to getPet before validation, and after 401 and 405', async () => {
    for (const path of ['/v1/pets/1', '/v1/pets/abc', '/v1/pets/1?limit=0', 'http://example.com/v1/pets/1']) {
      const answer = await reader.get(path);
      expect(expectError(answer, 'endpoint_removed')).toContain('GET /pets?');
      expect(answer.headers.sunset).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
      expect(answer.headers.link).toContain('<http://api.example.com/store/docs>; rel="deprecation"');
      expectError(await call(service.url, { path }), 'missing_api_key');
      expectError(await store.send({ method: 'PUT', path, body: '{' }), 'method_not_allowed');
    }
    expectError(await store.get('/v1/pets/1/2'), 'route_not_found');
    expect((await store.get('/v1/pets')).status).toBe(200);
  });
});
