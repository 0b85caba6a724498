import { describe, expect, it } from '@jest/globals';
import { etagOf, retryAfterMsOf } from './headers.js';

describe('retryAfterMsOf', () => {
  const nowMs = Date.UTC(2026, 10, 20, 12);

  it.each([
    ['0', 0],
    ['42', 42_000],
    ['Fri, 20 Nov 2026 12:00:05 GMT', 5_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
  ])('reads %s', (value, waitMs) => {
    expect(retryAfterMsOf(new Response(null, { headers: { 'retry-after': value } }), nowMs)).toBe(waitMs);
  });

  it('is undefined without the header', () => {
    expect(retryAfterMsOf(new Response(), nowMs)).toBeUndefined();
  });
});

describe('etagOf', () => {
  it.each([
    ['"abc"', '"abc"'],
    // A proxy that compresses weakens it.
    ['W/"abc"', '"abc"'],
  ])('reads %s', (etag, read) => {
    expect(etagOf(new Response(null, { headers: { etag } }))).toBe(read);
  });

  it('is undefined without the header', () => {
    expect(etagOf(new Response())).toBeUndefined();
  });
});
