import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../requests/raw-body.js';
import { connectionsOf } from './connections.js';
import { createHttpServer } from './http-server.js';

let server: Server;
let caller: Socket;

const readBody = (request: IncomingMessage) => bodyOf(request)!.read({} as ServerResponse, undefined);

/** Starts a server, sends `text`, and resolves with the first request once it is dispatched. */
async function receive(
  text: string,
  handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined,
): Promise<IncomingMessage> {
  const dispatched = new Promise<IncomingMessage>((resolve) => {
    server = createHttpServer(
      (request, response) => {
        handle(request, response);
        resolve(request);
      },
      { maxConnections: 10, trustProxy: 1, headersOf: () => ({}) },
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  caller.on('error', () => undefined).write(text);
  return dispatched;
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

describe('a body in small chunks', () => {
  const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const CHUNKS = 2_000;
  const chunks = '1\r\nx\r\n'.repeat(CHUNKS);

  it('uses one block of memory while it is unread', async () => {
    const request = await receive(`${HEAD}${chunks}0\r\n\r\n`);
    while (!request.complete) await new Promise(setImmediate);
    expect(request.readableLength).toBe(0);
    const read = await readBody(request);
    expect(String(read)).toBe('x'.repeat(CHUNKS));
  });

  it.each([
    [4_096, undefined],
    [4_097, 'bad_request'],
  ])('of %d pieces has the error %s', async (count, code) => {
    const request = await receive(`${HEAD}${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`);
    while (!request.complete && !bodyOf(request)?.failure) await new Promise(setImmediate);
    expect(bodyOf(request)?.failure?.code).toBe(code);
  });

  it('does not block other callers when many new connections send such bodies at once', async () => {
    let turn = 0;
    let isOver = false;
    const countTurns = () => {
      turn += 1;
      if (!isOver) setImmediate(countTurns);
    };
    const turns: number[] = [];
    await receive('GET / HTTP/1.1\r\nHost: a\r\n\r\n', () => turns.push(turn));
    turns.length = 0;
    const { port } = server.address() as AddressInfo;
    const attackers: Socket[] = [];
    while (attackers.length < 9) {
      attackers.push(connect(port, '127.0.0.1'));
      await once(server, 'connection');
    }
    countTurns();
    // All data has arrived before the server reads any of it.
    for (const attacker of attackers) attacker.on('error', () => undefined).write(HEAD + chunks);
    while (turns.length < attackers.length) await new Promise(setImmediate);
    isOver = true;
    for (const attacker of attackers) attacker.destroy();
    expect(new Set(turns).size).toBe(attackers.length);
  });

  it('arrives completely if reading starts in the middle', async () => {
    const request = await receive(`${HEAD}${chunks}`);
    const read = readBody(request);
    caller.write(`400\r\n${'y'.repeat(0x400)}\r\n800\r\n${'z'.repeat(0x800)}\r\n${chunks}0\r\n\r\n`);
    const expected = 'x'.repeat(CHUNKS) + 'y'.repeat(0x400) + 'z'.repeat(0x800) + 'x'.repeat(CHUNKS);
    expect(String(await read)).toBe(expected);
  });
});

describe('a connection', () => {
  it('is closed at its 33rd unanswered request, which is not dispatched', async () => {
    let dispatched = 0;
    await receive('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(32), () => (dispatched += 1));
    while (dispatched < 32) await new Promise(setImmediate);
    caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
    // Not once(), which rejects if the rest of the requests is unread and the connection is reset.
    await new Promise((resolve) => caller.resume().on('close', resolve));
    expect(dispatched).toBe(32);
  });

  it('can carry any number of answered requests', async () => {
    let dispatched = 0;
    const all = 100;
    await receive('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(32), (_request, response) => {
      dispatched += 1;
      response.end();
      if (dispatched + 32 <= all) caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    });
    while (dispatched < all) await once(caller, 'data');
    expect(caller.destroyed).toBe(false);
  });
});

describe('X-Forwarded-For', () => {
  it.each([
    ['1.2.3.4:5678', '1.2.3.4'],
    ['[2001:db8::1]:5678', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['1.2.3.4:1, 5.6.7.8:2', '1.2.3.4,5.6.7.8'],
    ['unknown:1', 'unknown:1'],
  ])('with the value %s gives the address without a port', async (given, expected) => {
    const request = await receive(`GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${given}\r\n\r\n`);
    expect(request.headers['x-forwarded-for']).toBe(expected);
  });
});

describe('responses that callers do not read', () => {
  /** Two of them may wait for their callers. */
  const BODY = 'x'.repeat(7 * 1024 * 1024);

  it('are bounded together: the connection with most of them is closed', async () => {
    server = createHttpServer(
      (_request, response) => {
        connectionsOf(server).addUnsent(response, BODY.length);
        response.end(BODY);
      },
      { maxConnections: 10, trustProxy: 1, headersOf: () => ({}) },
    );
    const { open } = connectionsOf(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const send = async (requests: number) => {
      caller = connect(port, '127.0.0.1').on('error', () => undefined);
      caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
      await once(server, 'request');
      return caller;
    };
    const few = await send(1);
    const many = await send(5);
    while (open.size > 1) await new Promise(setImmediate);
    // What was closed counts no more.
    await Promise.all([few, await send(1)].map((other) => receiveAll(other, BODY.length)));
    for (const socket of [few, many, caller]) socket.destroy();
    while (open.size > 0) await new Promise(setImmediate);
  });

  async function receiveAll(socket: Socket, atLeastBytes: number): Promise<void> {
    let bytes = 0;
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length;
      if (bytes >= atLeastBytes) return;
    }
    throw new Error(`closed after ${bytes} bytes`);
  }
});
