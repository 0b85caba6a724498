import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from '@jest/globals';
import { clientErrorHandler } from './client-error.js';
import { createHttpServer } from './http-server.js';

const HEAD = 'HEAD / HTTP/1.1\r\nHost: a\r\n';
const LONG = 'a'.repeat(70 * 1024);

let server: Server;

afterEach(() => void server.close());

/** The body of the response to a message that arrives in these packets. */
async function bodyOf(packets: string[]): Promise<string> {
  server = createHttpServer((_request, reply) => reply.end(), {
    maxConnections: 1,
    trustProxy: false,
    headersOf: () => ({}),
  });
  server.on('clientError', clientErrorHandler({ headersOf: () => ({}), onRefused: () => undefined }));
  const [caller, socket] = duplexPair();
  server.emit('connection', socket as Socket);
  const answer = text(caller);
  for (const packet of packets) caller.write(packet);
  return (await answer).split('\r\n\r\n').at(-1)!;
}

it.each([
  ['uri_too_long', 'a target in one packet', [`GET /${LONG}`]],
  ['headers_too_large', 'large headers in one packet', [`GET / HTTP/1.1\r\nHost: a\r\nX: ${LONG}`]],
  ['headers_too_large', 'large headers in two packets', ['GET / HTTP/1.1\r\nHost: a\r\nX: ', LONG]],
  // The last packet alone does not show whether it is a target or a header.
  ['headers_too_large', 'a target in two packets', ['GET /', LONG]],
  ['bad_request', 'a GET behind a HEAD', [`${HEAD}\r\nGET / HTTP/9\r\n\r\n`]],
])('answers %s to %s', async (code, _what, packets) => {
  expect(JSON.parse(await bodyOf(packets))).toMatchObject({ code });
});

it.each([
  ['with large headers', `${HEAD}X: ${LONG}`],
  ['that is malformed', `${HEAD}X\r\n\r\n`],
  ['with a long target behind empty lines', `\r\n\r\nHEAD /${LONG}`],
])('answers a HEAD %s without a body', async (_what, packet) => {
  expect(await bodyOf([packet])).toBe('');
});
