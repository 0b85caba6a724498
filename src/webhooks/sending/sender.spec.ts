import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/common/time.js';
import { Addresses } from './addresses.js';
import { Sender } from './sender.js';

const SHORT_MS = 300;
const LONG_MS = 15_000;
/** What is read of the body of an answer takes at most 1 s. */
const READ_MS = 1_500;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function urlOf(server: Server): Promise<string> {
  return `http://127.0.0.1:${await portOf(server)}/hooks?a=1`;
}

/** A server that does this with each connection, once a request has come. */
function onConnection(answer: (socket: Socket) => void): Promise<string> {
  return urlOf(
    createServer((socket) => {
      ends.push(() => socket.destroy());
      socket.on('error', () => undefined).once('data', () => answer(socket));
    }),
  );
}

const onRequest = (listener: RequestListener) => urlOf(createHttpServer(listener));

const senderWith = (...allowedNetworks: string[]) =>
  new Sender(new Addresses({ webhooks: { allowedNetworks } } as unknown as Config), new Clock());
const sender = senderWith('127.0.0.1');

const send = (url: string, withinMs = LONG_MS) =>
  sender.send({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"ä":1}' }, withinMs);

describe('an attempt', () => {
  it('posts the message, and has the status of the answer', async () => {
    const received: unknown[] = [];
    const url = await onRequest((request, response) => {
      void text(request).then((body) => {
        const { 'webhook-id': id, 'content-length': length, host } = request.headers;
        received.push([request.method, request.url, id, length, host, body]);
        response.writeHead(204).end();
      });
    });
    expect(await send(url)).toEqual({ status: 204, error: null, durationMs: expect.any(Number) });
    expect(received).toEqual([['POST', '/hooks?a=1', 'evt_1', '8', new URL(url).host, '{"ä":1}']]);
  });

  it('follows no redirect', async () => {
    let requests = 0;
    const url = await onRequest((_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await send(url)).toMatchObject({ status: 307, error: null });
    expect(requests).toBe(1);
  });

  it('notes how long to wait', async () => {
    const url = await onRequest((_, response) => response.writeHead(503, { 'retry-after': '7' }).end());
    expect(await send(url)).toMatchObject({ status: 503, retryAfterMs: 7_000 });
  });

  it.each([
    [
      'a body without an end',
      (socket: Socket) => void setInterval(() => socket.write('x'.repeat(60_000)), 1).unref(),
    ],
    ['a body that drips', (socket: Socket) => void setInterval(() => socket.write('x'), 50).unref()],
    ['a body that never comes', () => undefined],
    ['a body that breaks off', (socket: Socket) => socket.destroy()],
  ])('counts by the head of an answer with %s', async (_, body) => {
    const url = await onConnection((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\nx', () => body(socket));
    });
    const outcome = await send(url);
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(outcome.durationMs).toBeLessThan(READ_MS);
  });

  it.each<[string, string, (socket: Socket) => unknown]>([
    ['timeout', 'no answer', () => undefined],
    ['timeout', 'a head that drips', (socket) => setInterval(() => socket.write('H'), 10_000).unref()],
    ['bad_response', 'a connection that ends', (socket) => socket.end()],
    ['bad_response', 'a connection that breaks', (socket) => socket.resetAndDestroy()],
    ['bad_response', 'no HTTP', (socket) => socket.write('220 smtp.example ESMTP\r\n')],
    [
      'bad_response',
      'an endless head',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\na: ${'a'.repeat(20_000)}`),
    ],
    ['bad_response', 'interim answers only', (socket) => socket.write('HTTP/1.1 103 x\r\n\r\n'.repeat(100))],
    [
      'bad_response',
      'another protocol',
      (socket) => socket.write('HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('is %s for %s', async (error, _, answer) => {
    const url = await onConnection(answer);
    expect(await send(url, error === 'timeout' ? SHORT_MS : LONG_MS)).toMatchObject({ status: null, error });
  });

  it('is connect where nothing listens, and tls where no TLS does', async () => {
    const server = createServer();
    const port = await portOf(server);
    server.close();
    await once(server, 'close');
    expect(await send(`http://127.0.0.1:${port}`)).toMatchObject({ status: null, error: 'connect' });
    const plain = await onConnection((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await send(plain.replace('http:', 'https:'))).toMatchObject({ status: null, error: 'tls' });
  });

  it('is dns for a name without an address', async () => {
    expect(await send('http://no-such-host.invalid/')).toMatchObject({ status: null, error: 'dns' });
  });

  it.each(['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]', '127.1'])(
    'never connects to the blocked address %s',
    async (host) => {
      let connections = 0;
      const port = await portOf(createServer(() => (connections += 1)));
      const outcome = await senderWith().send(
        { url: `http://${host}:${port}/`, headers: {}, body: '' },
        LONG_MS,
      );
      expect(outcome).toMatchObject({ status: null, error: 'blocked_address' });
      expect(connections).toBe(0);
    },
  );
});
