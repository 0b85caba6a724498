import { connect } from 'node:net';
import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { call, callRaw } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { dayLeft } from '../support/http/limits.js';
import { sharedService } from '../support/service.js';
import { untilDayHasRoom } from '../support/until.js';

// One more than the listeners of one event on a socket before Node warns of a leak.
const REQUESTS = 11;

describe('refused bodies and headers', () => {
  const service = sharedService(anyKind);

  it.each([
    ['no key', 401, { 'content-type': 'application/json', 'content-length': '100000' }],
    ['no key, and chunks', 401, { 'content-type': 'application/json' }],
    ['a key, and a long body', 413, { 'content-type': 'application/json', 'content-length': '100000' }],
    ['a key, and another type in chunks', 415, { 'content-type': 'text/plain' }],
  ])('of a caller with %s get %i at once, and leave the connection open', async (who, status, headers) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const authorization = who.startsWith('no key')
      ? {}
      : { authorization: `Bearer ${await service.issueKey()}` };
    const ports = new Set<number | undefined>();
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const options = { agent, method: 'POST', headers: { ...headers, ...authorization } };
      const outgoing = request(`${service.url}/v1/pets`, options);
      outgoing.write('x');
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect(incoming.statusCode).toBe(status);
      expect(incoming.headers['x-ratelimit-limit']).toBeDefined();
      ports.add(outgoing.socket?.localPort);
      outgoing.end('x'.repeat(99_999));
      await once(incoming.resume(), 'end');
    }
    agent.destroy();
    expect(ports.size).toBe(1);
    // Node reports a leak of listeners on stderr.
    expect(service.stderr).toBe('');
  });

  it.each([{ connection: 'close' }, { connection: 'Upgrade', upgrade: 'websocket' }])(
    'are answered with Connection: close and then read, if the connection closes (%j)',
    async (closing) => {
      const headers = { ...closing, 'content-type': 'application/json', 'content-length': 100_000 };
      const outgoing = request(`${service.url}/v1/pets`, { method: 'POST', headers });
      outgoing.write('x');
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect([incoming.statusCode, incoming.headers.connection]).toEqual([401, 'close']);
      outgoing.end('x'.repeat(99_999));
      await once(outgoing, 'finish');
      await once(incoming.resume(), 'end');
    },
  );

  it('do not block later requests on the connection', async () => {
    const head = `Host: a\r\nAuthorization: Bearer ${await service.issueKey()}\r\nContent-Type: application/json\r\n`;
    const broken = ['{', '', '[]', '{"name":1}', `{"a":"${'a'.repeat(60_000)}`].map(
      (body) => `POST /v1/pets HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    const large = `GET /v1/pets HTTP/1.1\r\n${head}X: ${'x'.repeat(17_000)}\r\n\r\n`;
    const last = `GET /v1/pets HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    const received = await callRaw(service.url, broken.join('') + large + last);
    const statuses = Array.from(received.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    expect(statuses).toEqual([...broken.map(() => '400'), '431', '200']);
  });

  it('count once if the parser refuses them or the caller disconnects', async () => {
    const key = await service.issueKey();
    const left = async () => dayLeft(await call(service.url, { path: '/v1/pets', key }));
    await untilDayHasRoom();
    const before = await left();
    const head = (framing: string) =>
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
    const answer = await callRaw(service.url, `${head('Transfer-Encoding: chunked')}2\r\n{}\r\nzz\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"bad_request"/);
    expect(answer).toMatch(/x-ratelimit/i);
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end(`${head('Content-Length: 29')}{"name":`);
    await once(socket.resume(), 'close');
    expect(await left()).toBe(before - 3);
  });
});
