import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { start, temporaryFolder } from '../support/clean-up.js';
import { embedded } from '../support/databases.js';
import { callUnchecked, requestsLeft } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { freePort } from '../support/servers/free-port.js';
import { ownService } from '../support/service.js';
import { ROOT } from '../support/tools/deployment.js';
import { until } from '../support/until.js';

const isInstalled = spawnSync('caddy', ['version']).error === undefined;

(isInstalled ? describe : describe.skip)('the proxy of compose.yaml', () => {
  const service = ownService(embedded, { TRUST_PROXY: '1' });
  let url: string;

  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    const folder = temporaryFolder();
    start('caddy', ['run', '--config', join(ROOT, 'deploy/compose/Caddyfile'), '--adapter', 'caddyfile'], {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SITE_ADDRESS: url,
        REPLICAS: 'localhost',
        REPLICA_PORT: new URL(service.url).port,
      },
      stdio: 'ignore',
    });
    await until(() => fetch(url).catch(() => undefined));
  });

  it('passes requests on with the address of the caller, who cannot choose one', async () => {
    const key = await service.issueKey();
    const body = { name: 'Rex', categoryId: 7 };
    expect((await callUnchecked(url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
    const left = async (address: string) => {
      const headers = { 'x-forwarded-for': address, 'x-request-id': 'through-the-proxy' };
      return requestsLeft(await callUnchecked(url, { path: '/v1/pets', headers }));
    };
    const before = await left('192.0.2.1');
    expect(await left('192.0.2.2')).toBeLessThan(before);
    const line = await until(() => service.log.find(({ requestId }) => requestId === 'through-the-proxy'));
    expect(line).toMatchObject({ caller: '127.0.0.1', status: 401 });
  });

  it('passes errors of the service on as they are', async () => {
    const body = 'x'.repeat(70_000);
    const key = await service.issueKey();
    expectError(await callUnchecked(url, { method: 'POST', path: '/v1/pets', key, body }), 'body_too_large');
    expectError(await callUnchecked(url, { path: '/v1/pets/', key }), 'route_not_found');
  });
});
