import { beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { databaseKinds } from '../support/databases.js';
import type { IssuedKey } from '../support/keys.js';
import { sharedService } from '../support/service.js';

const OPEN = ['/docs', '/docs/page.js', '/docs/page.css', '/openapi.json', '/openapi.yaml'];
const HEALTH = ['/health/live', '/health/ready'];

/** logs.e2e-spec.ts tests logs and other responses, metrics.e2e-spec.ts the metrics. */
describe.each(databaseKinds)('public information on $name', (kind) => {
  const service = sharedService(kind);
  let issued: IssuedKey;

  beforeAll(async () => {
    issued = await service.issue();
  });

  it.each(OPEN)('includes no key, setting or path of the machine in %s', async (path) => {
    const { status, text } = await call(service.url, { path: `${path}?key=${issued.key}`, key: issued.key });
    expect(status).toBe(200);
    const secrets = [issued.key.slice(12, 24), issued.id, process.cwd(), ...Object.values(service.env)];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it.each(HEALTH)('includes only the status in %s', async (path) => {
    for (const options of [{ path }, { path: `${path}?verbose=1` }, { path, key: issued.key }]) {
      const { status, text, headers } = await call(service.url, options);
      expect([status, text]).toEqual([200, '{"status":"ok"}']);
      expect(Object.keys(headers).sort()).toEqual([
        ...['connection', 'content-length', 'content-type', 'date', 'x-content-type-options', 'x-request-id'],
      ]);
    }
  });
});
