import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createHttpServer } from './http-server.js';

let server: Server;
let caller: Socket;

/** Starts a server, sends `text`, and resolves with the first request. */
async function receive(text: string, onRequest: () => void = () => undefined): Promise<IncomingMessage> {
  const received = new Promise<IncomingMessage>((resolve) => {
    const handle = (request: IncomingMessage) => {
      onRequest();
      resolve(request);
    };
    server = createHttpServer(handle, { keepAliveMs: 72_000, trustProxy: 1 });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  caller.on('error', () => undefined).write(text);
  return received;
}

afterEach(() => {
  caller.destroy();
  server.closeAllConnections();
  server.close();
});

it('keeps the address of a caller who has left', async () => {
  const { socket } = await receive('GET / HTTP/1.1\r\n\r\n');
  caller.destroy();
  await once(socket, 'close');
  expect(socket.remoteAddress).toBe('127.0.0.1');
});

it('closes a connection at its 17th unanswered request, and parses no further one', async () => {
  let handled = 0;
  let parsed = 0;
  const receiving = receive('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000), () => (handled += 1));
  server.on('request', () => (parsed += 1));
  const { socket } = await receiving;
  if (!socket.closed) await once(socket, 'close');
  expect([handled, parsed]).toEqual([16, 17]);
});

it.each([
  ['1.2.3.4:5678', '1.2.3.4'],
  ['[2001:db8::1]:5678', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['1.2.3.4:1, 5.6.7.8:2', '1.2.3.4,5.6.7.8'],
  ['unknown:1', 'unknown:1'],
])('takes the port off X-Forwarded-For: %s', async (given, expected) => {
  const request = await receive(`GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${given}\r\n\r\n`);
  expect(request.headers['x-forwarded-for']).toBe(expected);
});
