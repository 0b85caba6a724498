import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creation, type Call } from '../support/http/client.js';
import { exchangeRaw } from '../support/http/raw.js';
import { databaseKinds } from '../support/databases.js';
import { preload, watchModules } from '../support/preload.js';
import { listen } from '../support/servers/listen.js';
import { ownService } from '../support/service.js';
import { storeOf } from '../support/store.js';

const MARK = 'connects to ';

/** Runs before the service in its process and threads. Prints every connection, look-up of a name and datagram on stderr. */
const RECORDER = `
  import dgram from 'node:dgram';
  import dns from 'node:dns';
  import net from 'node:net';
  const report = (target) => process.stderr.write('${MARK}' + target + '\\n');
  // The look-up of an address sends nothing. The service looks HOST up when it begins to listen.
  const nameOf = ([host]) => (net.isIP(host) ? undefined : 'the name of ' + host);
  const watch = (holder, name, targetOf) => {
    const original = holder[name];
    holder[name] = function (...args) {
      const target = targetOf(args);
      if (target !== undefined) report(target);
      return original.apply(this, args);
    };
  };
  watch(net.Socket.prototype, 'connect', ([first, second]) => {
    const options = Array.isArray(first) ? first[0] : first;
    if (typeof options !== 'object') return Number.isInteger(options) ? second + ':' + options : String(options);
    return options.path ?? options.host + ':' + options.port;
  });
  watch(dgram.Socket.prototype, 'send', () => 'a datagram');
  for (const name of ['lookup', 'resolve', 'resolve4']) watch(dns, name, nameOf);
  for (const name of ['lookup', 'resolve', 'resolve4']) watch(dns.promises, name, nameOf);
`;

describe.each(databaseKinds)('a service on $name', (kind) => {
  const service = ownService(kind, preload(watchModules('@opentelemetry') + RECORDER));
  const store = storeOf(service);
  let canary: Server;
  let canaryUrl: string;
  let canaryConnections = 0;

  beforeAll(async () => {
    canary = createServer((socket) => {
      canaryConnections += 1;
      socket.destroy();
    });
    canaryUrl = await listen(canary);
  });
  afterAll(() => void canary.close());

  const databaseAddress = () => {
    if (service.env.DATABASE_URL === undefined) return `${service.env.DATA_DIR!}/.s.PGSQL.5432`;
    const { hostname, port } = new URL(service.env.DATABASE_URL);
    return `${hostname}:${port || '5432'}`;
  };

  it('connects only to its database, even if requests name other addresses, and loads no OpenTelemetry', async () => {
    const { host } = new URL(canaryUrl);
    const inQuery = encodeURIComponent(canaryUrl);
    const pet = { name: canaryUrl, categoryId: 1 };
    const headerNames = 'host origin referer forwarded x-forwarded-for x-forwarded-host from via'.split(' ');
    const calls: Call[] = [
      creation(pet),
      creation({ ...pet, url: canaryUrl, callback: canaryUrl }),
      creation({ $ref: canaryUrl }),
      { path: `/v1/pets?url=${inQuery}` },
      { path: `/v1/pets?cursor=${inQuery}&status=${inQuery}` },
      { path: `/v1/pets/${inQuery}` },
      { path: `/docs?url=${inQuery}&configUrl=${inQuery}` },
      { path: canaryUrl },
      { path: `${canaryUrl}/v1/pets` },
      ...headerNames.map((name) => ({
        path: '/v1/pets',
        headers: { [name]: name === 'host' ? host : canaryUrl },
      })),
      creation(pet, { 'idempotency-key': canaryUrl }),
    ];
    for (const options of calls) expect((await store.send(options)).status).toBeLessThan(500);
    await exchangeRaw(service.url, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(canaryConnections).toBe(0);
    const targets = service.stderr.split('\n').filter((line) => line.startsWith(MARK));
    expect([...new Set(targets)]).toEqual([MARK + databaseAddress()]);
    expect(service.logged('sending traces')).toEqual([]);
    expect(service.stderr).not.toContain('loaded');
  });
});
