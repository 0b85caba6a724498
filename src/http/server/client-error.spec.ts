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
async function codeOf(...packets: string[]): Promise<string> {
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

it('answers uri_too_long to a message whose first packet is a target', async () => {
  expect(await codeOf(`GET /${LONG}`)).toBe('uri_too_long');
});

it('answers headers_too_large to large headers, in one packet or several', async () => {
  expect(await codeOf(`GET / HTTP/1.1\r\nHost: a\r\nX: ${LONG}`)).toBe('headers_too_large');
  expect(await codeOf('GET / HTTP/1.1\r\nHost: a\r\nX: ', LONG)).toBe('headers_too_large');
});

// The last packet alone does not show whether it is a target or a header.
it('answers headers_too_large to a target in several packets', async () => {
  expect(await codeOf('GET /', LONG)).toBe('headers_too_large');
});
