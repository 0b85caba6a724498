import { afterAll, beforeAll, expect, describe, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { cleanUp, Service } from '../support/service.js';

describe('the service with PUBLIC_BASE_URL and ENFORCE_SUNSET', () => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await embedded.create();
    service = await Service.start({
      ...database.env,
      PUBLIC_BASE_URL: 'https://api.example.com/store/v1',
      STAGING_BASE_URL: 'https://staging.example.com/v1',
      ENFORCE_SUNSET: 'true',
    });
  });
  afterAll(cleanUp);

  it('builds links from PUBLIC_BASE_URL and answers 410 for a removed operation', async () => {
    const key = await service.issueKey();
    const made = await call(service.url, {
      method: 'POST',
      path: '/v1/pets',
      key,
      body: { name: 'a', categoryId: 1 },
    });
    expect(made.headers.location).toBe('https://api.example.com/store/v1/pets/1');
    await call(service.url, { method: 'POST', path: '/v1/pets', key, body: { name: 'b', categoryId: 1 } });
    const page = await call(service.url, { path: '/v1/pets?limit=1', key });
    expect(page.headers.link).toMatch(
      /^<https:\/\/api\.example\.com\/store\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
    );

    const gone = await call(service.url, { path: '/v1/pets/1?unknown=1', key });
    expect(gone.body).toMatchObject({ code: 'endpoint_removed', status: 410n });
    expect(gone.headers.link).toContain('<https://api.example.com/store/docs>; rel="deprecation"');
    expect((await call(service.url, { path: '/v1/pets/1' })).status).toBe(401);

    const document = await call(service.url, { path: '/openapi.json' });
    expect(
      (JSON.parse(document.text) as { servers: { url: string }[] }).servers.map(({ url }) => url),
    ).toEqual(['https://api.example.com/store/v1', 'https://staging.example.com/v1']);
  });
});
