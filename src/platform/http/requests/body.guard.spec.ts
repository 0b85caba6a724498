import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { BodyGuard, mediaTypeProblem } from './body.guard.js';

/** A POST whose body is still under way. */
function sending(guard = new BodyGuard()) {
  const headers = { 'content-type': 'application/json', 'content-length': '15' };
  const raw = Object.assign(new Readable({ read: () => undefined }), {
    rawHeaders: Object.entries(headers).flat(),
  });
  const request = {
    method: 'POST',
    headers,
    raw,
    route: { url: '/v1/pets' },
    body: undefined as unknown,
  };
  const http = { getRequest: () => request, getResponse: () => ({}) };
  const context = { switchToHttp: () => http } as unknown as ExecutionContext;
  return { raw, request, read: async () => guard.canActivate(context) };
}

it('a body is read when it is complete', async () => {
  const { raw, request, read } = sending();
  const isRead = read();
  raw.push('{"name":');
  raw.push('"Rex"}');
  raw.push(null);
  expect(await isRead).toBe(true);
  expect(request.body).toEqual({ name: 'Rex' });
});

it('a body that breaks off while it is read is refused', async () => {
  const { raw, read } = sending();
  const isRead = read();
  raw.push('{"name":');
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

it('bodies that stay unfinished hold a bounded sum: the oldest get 503, and a small one is read', async () => {
  const guard = new BodyGuard();
  const results: Promise<unknown>[] = [];
  for (let body = 0; body < 600; body += 1) {
    const { raw, read } = sending(guard);
    results.push(read().catch((error: unknown) => error));
    raw.push(Buffer.alloc(63_000, ' '));
  }
  const small = sending(guard);
  const isRead = small.read();
  small.raw.push('{}');
  small.raw.push(null);
  expect(await isRead).toBe(true);
  const pending = Symbol('pending');
  const outcomes = await Promise.all(
    results.map((result) => Promise.race([result, Promise.resolve(pending)])),
  );
  const kept = outcomes.filter((outcome) => outcome === pending).length;
  // 32 MiB are 530 of them.
  expect(kept).toBe(530);
  for (const refused of outcomes.slice(0, 600 - kept))
    expect(refused).toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '1' } });
});
