import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RouteSettings } from '../../src/platform/http/operations/operation.decorator.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { type Answer } from '../support/http/client.js';
import { document, OPERATIONS } from '../support/http/document.js';
import { expectError } from '../support/http/expect-error.js';
import { issueKeys } from '../support/keys.js';
import { sharedService } from '../support/service.js';
import { Store, storeOf } from '../support/store.js';
import { runScript } from '../support/tools/node-script.js';
import { until } from '../support/until.js';

/** Every route that needs no key. A path added here is a decision. */
const OPEN_ROUTES =
  `/ /client.tgz /docs /docs/ /docs/changelog /docs/errors /docs/errors.js /docs/faq /docs/favicon-32x32.png
  /docs/inputs.js /docs/key.js /docs/operations.js /docs/page.css /docs/page.js /docs/pages.css /docs/references.js
  /docs/responses.js /docs/start /docs/start.js /docs/swagger-ui-bundle.js /docs/swagger-ui.css /docs/text.css
  /docs/theme.js /docs/versioning /favicon.ico /health/live /health/ready /keys /llms.txt /openapi.json
  /openapi.yaml /robots.txt /usage`.split(/\s+/);

const CONSOLE_FILES = readdirSync('packages/console/dist').filter((name) => name !== 'index.html');
/** The console's files carry a hash of their content in their names. */
const OPEN_PATHS = [
  ...OPEN_ROUTES,
  ...['/console', '/console/', ...CONSOLE_FILES.map((name) => `/console/${name}`)],
].sort();

/** The open routes that redirect, with status and path. */
const REDIRECTS: Record<string, [number, string]> = {
  '/': [302, '/docs'],
  '/docs/': [308, '../docs'],
  '/console/': [308, '../console'],
  '/keys': [302, 'console#/keys'],
  '/usage': [302, 'console#/my-key'],
};

interface RegisteredRoute {
  method: string;
  url: string;
  settings: RouteSettings;
}

/** The routes that the application registers with Fastify, except the one for unmatched requests. */
async function routesOfApplication(): Promise<RegisteredRoute[]> {
  const printed = await runScript(`
    import { subscribe } from 'node:diagnostics_channel';
    import { createApp } from './dist/app.setup.js';
    import { loadConfig } from './dist/platform/config/load-config.js';
    import { createLogger } from './dist/platform/telemetry/logging/logger.js';
    const routes = [];
    const add = ({ method, url, config: settings = {} }) => url !== '/*' && routes.push({ method, url, settings });
    subscribe('fastify.initialization', ({ fastify }) => fastify.addHook('onRoute', add));
    const app = await createApp(loadConfig({}), await createLogger('silent', process.stderr));
    console.log(JSON.stringify(routes));
    await app.close();
  `);
  return JSON.parse(printed) as RegisteredRoute[];
}

/** Fields that no body may set: internal ones of this service and of others. */
const INTERNAL_FIELDS =
  'id openOrderId open_order_id keyId createdAt isAdmin version Name $set __proto__ constructor'.split(' ');

describe('routes', () => {
  const service = sharedService(anyKind);
  const writer = storeOf(service, { access: 'admin' });
  const reader = storeOf(service, { access: 'read' });
  let routes: RegisteredRoute[];

  beforeAll(async () => {
    routes = await routesOfApplication();
  });

  it('require a key and have limit headers unless they are marked open', async () => {
    expect(routes.length).toBeGreaterThan(OPEN_ROUTES.length);
    const open = routes.filter(({ settings }) => settings.open).map(({ url }) => url);
    expect([...new Set(open)].sort()).toEqual(OPEN_PATHS);
    for (const { method, url, settings } of routes) {
      const { status, headers } = await service.call({ method, path: url.replace(/:\w+/g, '1') });
      const expected = settings.open ? (REDIRECTS[url] ?? [200, undefined]) : [401, undefined];
      expect([method, url, status, headers.location]).toEqual([method, url, ...expected]);
      expect([method, url, 'x-ratelimit-limit' in headers]).toEqual([method, url, !settings.open]);
    }
  });

  it('answer 404 without headers of the operation if a parameter is empty', async () => {
    for (const { method, url } of routes.filter((route) => route.url.includes(':'))) {
      for (const store of [writer, reader]) {
        const answer = await store.send({ method, path: url.replace(/:\w+/g, '') });
        expect([method, url, answer.status]).toEqual([method, url, 404]);
        for (const name of ['x-stability', 'deprecation', 'sunset'])
          expect(answer.headers[name]).toBeUndefined();
        expect(answer.headers.link).toBe('</docs/errors#route_not_found>; rel="help"');
      }
    }
  });

  it('under /v1 are exactly the operations of the document', () => {
    const registered = routes
      .filter(({ url, method }) => url.startsWith('/v1') && method !== 'HEAD')
      .map(({ method, url, settings }) => [method, url.replace(/:(\w+)/g, '{$1}'), settings.operation?.id]);
    const documented = OPERATIONS.map(({ method, path, operationId }) => [method, path, operationId]);
    expect(registered.sort()).toEqual(documented.sort());
  });
});

/** A generated client does exactly what the document says, so the service has to accept that. */
describe('the operation', () => {
  const service = sharedService(anyKind);
  const writer = storeOf(service, { access: 'admin' });
  const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, '999999999999');
  const codeOf = ({ body }: Answer) => (body as { code?: string } | undefined)?.code;

  it.each(OPERATIONS)('$operationId refuses undeclared query parameters', async ({ method, path }) => {
    const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
    const answer = await writer.send({ method, path: `${pathOf(path)}?undeclared=1`, body });
    expectError(answer, 'invalid_parameter');
  });

  it.each(OPERATIONS.filter(({ requestBody }) => requestBody))(
    '$operationId requires a body exactly if the document says so, and allows no unknown field',
    async ({ method, path, requestBody }) => {
      const send = (body?: string) => writer.send({ method, path: pathOf(path), body });
      expect(codeOf(await send()) === 'invalid_body').toBe(requestBody!.required);
      for (const name of INTERNAL_FIELDS)
        expect(expectError(await send(`{"${name}":1}`), 'invalid_body')).toContain(
          `"${name}": no such field`,
        );
      const name = requestBody!.content['application/json'].schema.$ref.split('/').at(-1)!;
      expect(document.components.schemas[name]).toMatchObject({ additionalProperties: false });
    },
  );

  it('with a list in its query takes it separated by commas or repeated, and every item once', async () => {
    const lists = OPERATIONS.flatMap(({ parameters }) =>
      parameters.filter((each) => each.in === 'query' && each.schema.type === 'array'),
    );
    // OpenAPI's own default is one parameter for every item.
    expect(lists).toMatchObject([
      { name: 'types', explode: false },
      { name: 'ids', explode: false },
    ]);
    const [rex, tom] = [await writer.create('Rex', 7), await writer.create('Tom', 7)];
    for (const query of [
      `ids=${rex.id},${tom.id}`,
      `ids=${rex.id}&ids=${tom.id}`,
      `ids=${tom.id}&ids=${rex.id},${tom.id}`,
    ])
      expect((await writer.list(query)).body).toEqual([rex, tom]);
    const paged = await writer.list(`ids=${rex.id}&ids=${tom.id}&ids=${rex.id}&limit=1`);
    const cursor = String(paged.headers['x-next-cursor']);
    expect(paged.headers.link).toContain(`?limit=1&ids=${rex.id},${tom.id},${rex.id}&cursor=${cursor}`);
    expect((await writer.list(`ids=${tom.id},${rex.id}&cursor=${cursor}`)).body).toEqual([tom]);
  });
});

describe('lists', () => {
  const ROWS = 101;
  const service = sharedService(anyKind);
  let store: Store;

  beforeAll(async () => {
    const { id, key } = await service.issue({ access: 'admin' });
    await issueKeys(service, ROWS);
    store = new Store(service.url, key);
    await onDatabase(
      service,
      `with added as (
          insert into pets (name, category_id, status) select 'Rex', 1, 'available' from generate_series(1, ${ROWS}) returning id
        ),
        events as (
          insert into key_events (key_id, kind, actor) select '${id}', 'unbanned', 'command' from generate_series(1, ${ROWS})
        ),
        webhooks as (
          insert into webhooks (id, key_id, url, status, disabled_reason, secret, position, position_bits)
          select gen_random_uuid(), '${id}', 'https://partner.example', 'disabled', 'caller', '', 0, 0 from generate_series(1, ${ROWS})
        )
        insert into orders (pet_id, key_id, status) select id, '${id}', 'cancelled' from added`,
    );
    // The events show after their transaction.
    await until(async () => (await lengthOf('/v1/events?limit=100')) === 100);
  });

  const lengthOf = async (path: string) => ((await store.get(path)).body as unknown[]).length;

  it('are the ones that these tests cover', async () => {
    const gets = OPERATIONS.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    const answers = await Promise.all(
      gets.map(async ({ path }) => [path, (await store.get(path)).body] as const),
    );
    const lists = answers.filter(([, body]) => Array.isArray(body)).map(([path]) => path);
    expect(lists).toEqual([
      '/v1/events',
      '/v1/webhooks',
      '/v1/keys',
      '/v1/pets',
      '/v1/store/orders',
      '/v1/usage',
    ]);
  });

  it.each([
    ['/v1/events', 'limit', 20, 100],
    ['/v1/keys', 'limit', 20, 100],
    ['/v1/keys/me/events', 'limit', 20, 100],
    ['/v1/keys/me/usage', 'days', 30, 90],
    ['/v1/pets', 'limit', 20, 100],
    ['/v1/store/orders', 'limit', 20, 100],
    ['/v1/usage', 'days', 30, 90],
    ['/v1/webhooks', 'limit', 20, 100],
  ])('bound the length of a response: %s with %s', async (path, name, usual, most) => {
    expect([await lengthOf(path), await lengthOf(`${path}?${name}=${most}`)]).toEqual([usual, most]);
    for (const refused of [most + 1, 2 ** 31, -1, 0])
      expectError(await store.get(`${path}?${name}=${refused}`), 'invalid_parameter');
  });
});
