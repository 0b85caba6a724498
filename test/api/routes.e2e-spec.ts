import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RouteTable } from '../../src/http/requests/route-scope.js';
import { call } from '../support/http/client.js';
import { embedded } from '../support/databases.js';
import { document } from '../support/http/document.js';
import { runScript } from '../support/tools/node-script.js';
import { sharedService } from '../support/service.js';

/** Every route that needs no key. A line added here is a decision. */
const OPEN_ROUTES = [
  '/',
  '/docs',
  '/docs/',
  '/docs/errors',
  '/docs/errors.css',
  '/docs/favicon-32x32.png',
  '/docs/page.css',
  '/docs/page.js',
  '/docs/pages.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/favicon.ico',
  '/health/live',
  '/health/ready',
  '/openapi.json',
  '/openapi.yaml',
  '/robots.txt',
  '/usage',
  '/usage/',
  '/usage/chart.umd.min.js',
  '/usage/page.css',
  '/usage/page.js',
  '/usage/pages.css',
];

/** The open routes that redirect to another path. */
const REDIRECTS: Record<string, number> = { '/': 302, '/docs/': 308, '/usage/': 308 };

/** The routes that the application registers with Fastify. */
async function routesOfApplication(): Promise<RouteTable['routes']> {
  const printed = await runScript(`
    import { createApp } from './dist/bootstrap/create-app.js';
    import { loadConfig } from './dist/config/load-config.js';
    import { RouteTable } from './dist/http/requests/route-scope.js';
    import { createLogger } from './dist/telemetry/logging/logger.js';
    const app = await createApp(loadConfig({}), await createLogger('silent', process.stderr));
    console.log(JSON.stringify(app.get(RouteTable).routes));
    await app.close();
  `);
  return JSON.parse(printed) as RouteTable['routes'];
}

describe('routes', () => {
  const service = sharedService(embedded);
  let routes: RouteTable['routes'];

  beforeAll(async () => {
    routes = await routesOfApplication();
  });

  it('require a key unless they are marked open', async () => {
    expect(routes.length).toBeGreaterThan(OPEN_ROUTES.length);
    const open = routes.filter(({ settings }) => settings.open).map(({ url }) => url);
    expect([...new Set(open)].sort()).toEqual(OPEN_ROUTES);
    for (const { method, url, settings } of routes) {
      const { status } = await call(service.url, { method, path: url.replace(/:\w+/g, '1') });
      const expected = settings.open ? (REDIRECTS[url] ?? 200) : 401;
      expect([method, url, status]).toEqual([method, url, expected]);
    }
  });

  it('answer 404 without headers of the operation if a parameter is empty', async () => {
    const keys = await Promise.all([service.issueKey(), service.issueKey({ readOnly: true })]);
    for (const { method, url } of routes.filter((route) => route.url.includes(':'))) {
      for (const key of keys) {
        const answer = await call(service.url, { method, path: url.replace(/:\w+/g, ''), key });
        expect([method, url, answer.status]).toEqual([method, url, 404]);
        for (const name of ['x-stability', 'deprecation', 'sunset', 'link']) {
          expect(answer.headers[name]).toBeUndefined();
        }
      }
    }
  });

  it('under /v1 are exactly the operations of the document', () => {
    const operations = routes
      .filter(({ url, method }) => url.startsWith('/v1') && method !== 'HEAD')
      .map(
        ({ method, url, settings }) =>
          `${method} ${url.replace(/:(\w+)/g, '{$1}')} ${settings.operation?.id ?? ''}`,
      );
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, { operationId }]) => `${method.toUpperCase()} /v1${path} ${operationId}`,
      ),
    );
    expect(operations.sort()).toEqual(documented.sort());
  });

  it('refuse undeclared query parameters', async () => {
    const key = await service.issueKey();
    const operations = routes.filter(({ settings }) => settings.operation);
    expect(operations.length).toBeGreaterThan(14);
    for (const { method, url } of operations) {
      const path = `${url.replace(/:\w+/g, '1')}?undeclared=1`;
      const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
      const answer = await call(service.url, { method, path, key, body });
      expect([method, url, answer.status]).toEqual([method, url, 400]);
      if (method !== 'HEAD') expect(answer.text).toContain('"code":"invalid_parameter"');
    }
  });

  it('document that bodies allow no unknown field, and require a body only if they need one', () => {
    const bodies = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId, requestBody }) =>
        requestBody ? [{ operationId, ...requestBody }] : [],
      ),
    );
    expect(bodies.filter(({ required }) => !required).map(({ operationId }) => operationId)).toEqual([
      'deletePet',
      'approveOrder',
      'deliverOrder',
      'cancelOrder',
    ]);
    for (const { content } of bodies) {
      const name = content['application/json'].schema.$ref.split('/').at(-1)!;
      expect(document.components.schemas[name]).toMatchObject({ additionalProperties: false });
    }
    expect(document.components.schemas.PetUpdate).toMatchObject({ minProperties: 1 });
  });
});
