import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from './raw-body.js';

const BODY_BYTES = 64 * 1024;
/** The number of whole bodies that may be read at a time. */
const BODIES_AT_A_TIME = 512;

/** Starts to read a body of this length. */
function start(length: number) {
  const raw = Object.assign(new PassThrough(), { httpVersion: '1.1' });
  const request = { raw, headers: { 'content-length': String(length) } } as unknown as FastifyRequest;
  return { raw, body: readBody(request, {} as FastifyReply, undefined) };
}

/** Starts to read a body when only its first part has arrived. */
function slowBody() {
  const { raw, body } = start(BODY_BYTES);
  raw.write(Buffer.alloc(8 * 1024));
  return { body, finish: () => raw.end(Buffer.alloc(BODY_BYTES - 8 * 1024)) };
}

test('slow bodies use a bounded amount of memory, which small bodies do not need', async () => {
  const slow = Array.from({ length: BODIES_AT_A_TIME }, slowBody);
  await new Promise(setImmediate);
  await expect(slowBody().body).rejects.toMatchObject({ code: 'service_unavailable' });
  const small = start(2);
  small.raw.end('{}');
  expect(String(await small.body)).toBe('{}');
  slow.forEach(({ finish }) => finish());
  const bodies = await Promise.all(slow.map(({ body }) => body));
  expect(bodies.every(({ length }) => length === BODY_BYTES)).toBe(true);
  const next = slowBody();
  next.finish();
  expect(await next.body).toHaveLength(BODY_BYTES);
});
