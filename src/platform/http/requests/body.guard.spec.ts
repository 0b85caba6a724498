import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { BodyGuard, mediaTypeProblem } from './body.guard.js';
import { RequestMessage } from './request-message.js';

const guard = new BodyGuard();

/** A POST whose body is still under way. */
function sending() {
  const headers = { 'content-type': 'application/json', 'content-length': '15' };
  const raw = Object.assign(new RequestMessage(new Socket()), {
    headers,
    rawHeaders: Object.entries(headers).flat(),
  });
  const request = {
    method: 'POST',
    headers,
    raw,
    route: { url: '/v1/pets' },
    body: undefined as unknown,
  };
  const context = { getArgByIndex: (index: number) => [request, {}][index] } as unknown as ExecutionContext;
  return { raw, request, read: async () => guard.canActivate(context) };
}

it('a body is read when it is complete', async () => {
  const { raw, request, read } = sending();
  const isRead = read();
  raw.push(Buffer.from('{"name":'));
  raw.push(Buffer.from('"Rex"}'));
  raw.push(null);
  expect(await isRead).toBe(true);
  expect(request.body).toEqual({ name: 'Rex' });
});

it('a body that breaks off while it is read is refused', async () => {
  const { raw, read } = sending();
  const isRead = read();
  raw.push(Buffer.from('{"name":'));
  raw.destroy();
  await expect(isRead).rejects.toMatchObject({ code: 'bad_request' });
});

it('a body that broke off before it is read is refused', async () => {
  const { raw, read } = sending();
  raw.destroy();
  await once(raw, 'close');
  await expect(read()).rejects.toMatchObject({ code: 'bad_request' });
});

it('a body of another media type has the message of the example of its code', () => {
  const headers = { 'content-length': '1', 'content-type': 'text/plain' };
  const request = { method: 'POST', headers, raw: { rawHeaders: [] } } as unknown as FastifyRequest;
  expect(mediaTypeProblem(request)?.message).toBe(HTTP_ERRORS.unsupported_media_type.example);
});

it('bodies that stay unfinished hold a bounded sum, also before they are read: the oldest get 503, and a small one is read', async () => {
  const callers = Array.from({ length: 600 }, sending);
  // Half of them wait for the guards that come before.
  const early = callers.slice(0, 300).map(({ read }) => read());
  for (const { raw } of callers) raw.push(Buffer.alloc(63_000, ' '));
  const small = sending();
  const isRead = small.read();
  small.raw.push(Buffer.from('{}'));
  small.raw.push(null);
  expect(await isRead).toBe(true);
  const isKept = ({ raw }: ReturnType<typeof sending>) => raw.failure === undefined;
  // 32 MiB are 530 of them.
  const refused = callers.filter((caller) => !isKept(caller));
  expect(refused).toEqual(callers.slice(0, 70));
  for (const result of early.slice(0, 70))
    await expect(result).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'Retry-After': '1' },
    });
  expect(callers.slice(0, 70).every(({ raw }) => raw.readableLength === 0)).toBe(true);
  for (const { raw } of callers) raw.forgetBody();
});

it('a body that was refused before it is read gets 503', async () => {
  const { raw, read } = sending();
  raw.push(Buffer.from('{"name":'));
  raw.refuse();
  await expect(read()).rejects.toMatchObject({ code: 'service_unavailable' });
});
