import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { Connections } from '../server/connections.js';
import { bodyOf, IncomingBody } from './raw-body.js';

const BODY_BYTES = 64 * 1024;
/** The number of whole bodies that may be read at a time. */
const BODIES_AT_A_TIME = 512;

function collect(length: number) {
  const headers = { 'content-length': String(length) };
  const raw = Object.assign(new PassThrough(), { headers, httpVersion: '1.1' }) as never;
  IncomingBody.collect(raw, {} as Connections);
  return { raw: raw as PassThrough, incoming: bodyOf(raw)! };
}

const read = (incoming: IncomingBody) => incoming.read({} as ServerResponse, undefined);

/** Starts to read a body of this length. */
function start(length: number) {
  const { raw, incoming } = collect(length);
  return { raw, body: read(incoming) };
}

/** A body that has arrived while the guards still run. */
function waitingBody() {
  const { raw, incoming } = collect(BODY_BYTES);
  raw.push(Buffer.alloc(BODY_BYTES));
  raw.push(null);
  return { raw, incoming };
}

/** Starts to read a body when only its first part has arrived. */
function slowBody() {
  const { raw, body } = start(BODY_BYTES);
  raw.push(Buffer.alloc(8 * 1024));
  const finish = () => {
    raw.push(Buffer.alloc(BODY_BYTES - 8 * 1024));
    raw.push(null);
  };
  return { body, finish };
}

test('slow bodies use a bounded amount of memory, which small bodies do not need', async () => {
  const slow = Array.from({ length: BODIES_AT_A_TIME }, slowBody);
  await expect(slowBody().body).rejects.toMatchObject({ code: 'service_unavailable' });
  const small = start(2);
  small.raw.push(Buffer.from('{}'));
  small.raw.push(null);
  expect(String(await small.body)).toBe('{}');
  slow.forEach(({ finish }) => finish());
  const bodies = await Promise.all(slow.map(({ body }) => body));
  expect(bodies.every(({ length }) => length === BODY_BYTES)).toBe(true);
  const next = slowBody();
  next.finish();
  expect(await next.body).toHaveLength(BODY_BYTES);
});

test.each<[string, (body: ReturnType<typeof waitingBody>) => unknown]>([
  ['read', ({ incoming }) => read(incoming)],
  ['answered', ({ incoming }) => incoming.discard()],
  ['left', ({ raw }) => once(raw.destroy(), 'close')],
])('bodies that wait for the guards use the same memory until they are %s', async (_how, end) => {
  const waiting = Array.from({ length: BODIES_AT_A_TIME }, waitingBody);
  await expect(slowBody().body).rejects.toMatchObject({ code: 'service_unavailable' });
  await Promise.all(waiting.map(end));
  const slow = Array.from({ length: BODIES_AT_A_TIME }, slowBody);
  slow.forEach(({ finish }) => finish());
  expect(await Promise.all(slow.map(({ body }) => body))).toHaveLength(BODIES_AT_A_TIME);
});
