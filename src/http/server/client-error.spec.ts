import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from '@jest/globals';
import { clientErrorHandler } from './client-error.js';
import { createHttpServer } from './http-server.js';

const LONG = 'a'.repeat(70 * 1024);

let server: Server;

afterEach(() => void server.close());

/** The error code of the response to a message that arrives in these packets. */
async function codeOf(packets: string[]): Promise<string> {
  server = createHttpServer(() => undefined, {
    maxConnections: 1,
    trustProxy: false,
    headersOf: () => ({}),
  });
  server.on('clientError', clientErrorHandler({ headersOf: () => ({}), onRefused: () => undefined }));
  const [caller, socket] = duplexPair();
  server.emit('connection', socket as Socket);
  const answer = text(caller);
  for (const packet of packets) caller.write(packet);
  const [, body = ''] = (await answer).split('\r\n\r\n');
  return (JSON.parse(body) as { code: string }).code;
}

it.each([
  ['uri_too_long', 'a target in one packet', [`GET /${LONG}`]],
  ['headers_too_large', 'large headers in one packet', [`GET / HTTP/1.1\r\nHost: a\r\nX: ${LONG}`]],
  ['headers_too_large', 'large headers in two packets', ['GET / HTTP/1.1\r\nHost: a\r\nX: ', LONG]],
  // The last packet alone does not show whether it is a target or a header.
  ['headers_too_large', 'a target in two packets', ['GET /', LONG]],
])('answers %s to %s', async (code, _what, packets) => {
  expect(await codeOf(packets)).toBe(code);
});
