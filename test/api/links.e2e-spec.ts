import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { cleanUp, Service } from '../support/service.js';
import { Catalogue } from '../support/store.js';

describe('the service with PUBLIC_BASE_URL and ENFORCE_SUNSET', () => {
  let service: Service;
  let key: string;

  beforeAll(async () => {
    service = await Service.start({
      ...(await embedded.create()).env,
      PUBLIC_BASE_URL: 'http://api.example.com/store/v1',
      STAGING_BASE_URL: 'https://staging.example.com/v1',
      ENFORCE_SUNSET: 'true',
    });
    key = await service.issueKey();
  });
  afterAll(cleanUp);

  it('builds links from PUBLIC_BASE_URL, which requires TLS only if it has it', async () => {
    const catalogue = new Catalogue(service.url, key);
    const made = await catalogue.post({ name: 'a', categoryId: 1 });
    expect(made.headers.location).toBe('http://api.example.com/store/v1/pets/1');
    expect(made.headers['strict-transport-security']).toBeUndefined();
    await catalogue.create('b', 1);
    expect((await catalogue.list('limit=1')).headers.link).toMatch(
      /^<http:\/\/api\.example\.com\/store\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
    );
    const document = await call(service.url, { path: '/openapi.json' });
    const { servers } = JSON.parse(document.text) as { servers: { url: string }[] };
    const urls = ['http://api.example.com/store/v1', 'https://staging.example.com/v1'];
    expect(servers.map(({ url }) => url)).toEqual(urls);
  });

  it('answers endpoint_removed to getPet before validation, and after 401 and 405', async () => {
    const reader = await service.issueKey({ readOnly: true });
    for (const path of ['/v1/pets/1', '/v1/pets/abc', '/v1/pets/1?limit=0', 'http://example.com/v1/pets/1']) {
      const answer = await call(service.url, { path, key: reader });
      expect(expectError(answer, 'endpoint_removed')).toContain('GET /pets?');
      expect(answer.headers.sunset).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
      expect(answer.headers.link).toContain('<http://api.example.com/store/docs>; rel="deprecation"');
      expectError(await call(service.url, { path }), 'missing_api_key');
      expectError(await call(service.url, { method: 'PUT', path, key, body: '{' }), 'method_not_allowed');
    }
    expectError(await call(service.url, { path: '/v1/pets/1/2', key }), 'route_not_found');
    expect((await call(service.url, { path: '/v1/pets', key })).status).toBe(200);
  });
});
