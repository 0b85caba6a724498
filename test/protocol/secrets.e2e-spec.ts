import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type Answer, type Call } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { scrape } from '../support/http/metrics.js';
import { cleanUp, Service } from '../support/service.js';

const OPEN = ['/docs', '/docs/page.js', '/docs/page.css', '/openapi.json', '/openapi.yaml'];
const HEALTH = ['/health/live', '/health/ready'];

/** logs.e2e-spec.ts and errors.e2e-spec.ts test logs and the bodies of errors. */
describe.each(databaseKinds)('public information on $name', (kind) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;
  let id: string;
  const answers: Answer[] = [];

  beforeAll(async () => {
    database = await kind.create();
    service = await Service.start({ ...database.env, METRICS_PORT: '0' });
    const issued = await service.issue();
    key = issued.key;
    id = issued.id;
    // The key in every place where callers have put one by mistake.
    const calls: Call[] = [
      { path: '/v1/pets' },
      { path: `/v1/pets?api_key=${key}` },
      { path: `/v1/pets?cursor=${key}` },
      { path: `/v1/pets/${key}` },
      { path: `/v1/${key}` },
      { path: `/${key}` },
      { path: `/docs?key=${key}` },
      { path: `/health/${key}` },
      { method: 'PUT', path: `/v1/pets/${key}` },
      {
        path: '/v1/pets',
        headers: { authorization: `Basic ${key}`, cookie: key, origin: key, 'user-agent': key },
      },
      { method: 'POST', path: '/v1/pets', body: { name: 'Rex', categoryId: key } },
      {
        method: 'POST',
        path: '/v1/pets',
        body: { name: 'Rex', categoryId: 1 },
        headers: { 'idempotency-key': key },
      },
    ];
    for (const options of calls) answers.push(await call(service.url, { key, ...options }));
  });
  afterAll(cleanUp);

  /** Only the prefix that is shown of a key may appear. */
  const expectNoKey = (text: string) => expect(text).not.toContain(key.slice(12, 24));

  it('includes no key in the headers of responses', () => {
    for (const { headers } of answers) expectNoKey(JSON.stringify(headers));
  });

  it('includes no key, caller, path or setting in the metrics', async () => {
    const text = await scrape(service);
    expectNoKey(text);
    for (const secret of [id, 'ask_', ...Object.values(database.env)]) expect(text).not.toContain(secret);
    expect(text).toContain('http_requests_total');
  });

  it.each(OPEN)('includes no key, setting or path of the machine in %s', async (path) => {
    const { status, text } = await call(service.url, { path });
    expect(status).toBe(200);
    expectNoKey(text);
    for (const secret of [id, process.cwd(), ...Object.values(database.env)])
      expect(text).not.toContain(secret);
  });

  it.each(HEALTH)('includes only the status in %s', async (path) => {
    for (const options of [{ path }, { path: `${path}?verbose=1` }, { path, key }]) {
      const { status, text, headers } = await call(service.url, options);
      expect([status, text]).toEqual([200, '{"status":"ok"}']);
      expect(Object.keys(headers).sort()).toEqual([
        ...['connection', 'content-length', 'content-type', 'date', 'x-content-type-options', 'x-request-id'],
      ]);
    }
  });

  it('includes no metrics on the port of the API', async () => {
    for (const path of ['/metrics', '/v1/metrics', '/health/metrics'])
      expect((await call(service.url, { path, key })).status).toBe(404);
  });
});
