import { createServer } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import { creation, type Call } from '../support/http/client.js';
import { exchangeRaw } from '../support/http/raw.js';
import { anyKind } from '../support/databases.js';
import { listen } from '../support/servers/listen.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

const service = sharedService(anyKind);
const store = storeOf(service);
let connections = 0;
const canary = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
afterAll(() => void canary.close());

it('no request makes the service connect to an address that the request names', async () => {
  const url = await listen(canary);
  const { host } = new URL(url);
  const inQuery = encodeURIComponent(url);
  const pet = { name: url, categoryId: 1 };
  const calls: Call[] = [
    ...[pet, { ...pet, url, callback: url }, { $ref: url }].map((body) => creation(body)),
    ...[`/v1/pets?url=${inQuery}`, `/v1/pets?cursor=${inQuery}`, `/v1/pets/${inQuery}`].map((path) => ({
      path,
    })),
    ...[`/docs?url=${inQuery}&configUrl=${inQuery}`, url, `${url}/v1/pets`].map((path) => ({ path })),
    ...'origin referer forwarded x-forwarded-for x-forwarded-host from via'
      .split(' ')
      .map((name) => ({ path: '/v1/pets', headers: { [name]: url } })),
    { path: '/v1/pets', headers: { host } },
    creation(pet, { 'idempotency-key': url }),
  ];
  for (const options of calls) expect((await store.send(options)).status).toBeLessThan(500);
  await exchangeRaw(service.url, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  expect(connections).toBe(0);
});
