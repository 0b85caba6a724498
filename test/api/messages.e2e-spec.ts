import { beforeAll, describe, expect, it } from '@jest/globals';
import { call, type Call } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';

describe('error messages', () => {
  const service = sharedService(anyKind);
  let key: string;

  beforeAll(async () => {
    key = await service.issueKey();
  });

  const post = (body: unknown): Call => ({ method: 'POST', path: '/v1/pets', body });
  const send = (request: Call) => call(service.url, { key, ...request });

  it('name every invalid field, the expected value and the received one', async () => {
    const message = expectError(
      await send(post('{"name":7,"categoryId":9223372036854775808,"status":"SOLD","colour":1,"id":2}')),
      'invalid_body',
    );
    const parts = [
      'name',
      'got 7',
      'categoryId',
      '9223372036854775808',
      'available',
      '"SOLD"',
      'colour',
      '"id"',
    ];
    for (const part of parts) expect(message).toContain(part);
    const missing = expectError(await send(post({})), 'invalid_body');
    expect(missing).toMatch(/name.*categoryId/);
    expect(missing).not.toContain('status');
  });

  it('name every invalid parameter', async () => {
    const query = 'limit=0&status=SOLD&ids=a&categoryId=b&colour=red&colour=blue&__proto__=1';
    const message = expectError(await send({ path: `/v1/pets?${query}` }), 'invalid_parameter');
    const parts = ['limit', '0', '1 to 100', 'status', 'SOLD', 'ids', 'categoryId', 'colour', '__proto__'];
    for (const part of parts) expect(message).toContain(part);
  });

  it('list the first five unknown names and count the others', async () => {
    const names = Array.from({ length: 1_040 }, (_, index) => `unknown${String(index)}`);
    const body = Object.fromEntries(names.map((name) => [name, 1]));
    const ofBody = expectError(await send(post(body)), 'invalid_body');
    const ofQuery = expectError(
      await send({ path: `/v1/pets?limit=0&${names.slice(0, 500).join('&')}` }),
      'invalid_parameter',
    );
    const shown = '"unknown0", "unknown1", "unknown2", "unknown3", "unknown4" and 1,035 more: no such';
    expect(ofBody).toContain(`${shown} field`);
    expect(ofQuery).toContain(`${shown.replace('1,035', '495')} parameter`);
    expect(ofBody).toMatch(/name: .*categoryId: /);
    expect(ofQuery).toContain('limit: ');
  });

  it('have at most 1,000 characters', async () => {
    const long = (index: number) => `${String(index)}${'\u202e'.repeat(59)}`;
    const body = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [long(index), 1]));
    expect(expectError(await send(post(body)), 'invalid_body')).toHaveLength(1_000);
  });

  it.each(['$value', '$property', '$target', '$constraint1', '$&', '${7*7}', '%s'])(
    'show %s unchanged',
    async (text) => {
      const shown = `got "${text}"`;
      const inBody = await send(post({ name: text, categoryId: text, status: text }));
      expect(expectError(inBody, 'invalid_body')).toBe(
        `categoryId: expected an integer that fits 64 bits, ${shown}; ` +
          `status: expected one of available, pending, sold, ${shown}`,
      );
      const inQuery = await send({ path: `/v1/pets?status=${encodeURIComponent(text)}` });
      expect(expectError(inQuery, 'invalid_parameter')).toBe(
        `status: expected one of available, pending, sold, ${shown}`,
      );
    },
  );

  it('stay short for a long value', async () => {
    const long = `${'$value'.repeat(10)}${'x'.repeat(60_000)}`;
    const { text } = await send(post({ name: 'Rex', categoryId: long }));
    expect(text).toContain('(60060 characters)');
    expect(text.length).toBeLessThan(300);
  });

  const UNPRINTABLE = '\u0000\u001b[31m\u007f\u009b\u200e\u202e\u2028\ufeff';
  it.each<[string, Call]>([
    ['a field', post({ name: 'Rex', categoryId: UNPRINTABLE })],
    ['the name of a field', post({ name: 'Rex', categoryId: 1, [UNPRINTABLE]: 1 })],
    ['a field given twice', post(`{"${UNPRINTABLE.slice(2)}":1,"${UNPRINTABLE.slice(2)}":2}`)],
    ['text that is no JSON', post(UNPRINTABLE)],
    ['a parameter', { path: `/v1/pets?status=${encodeURIComponent(UNPRINTABLE)}` }],
    ['the name of a parameter', { path: `/v1/pets?${encodeURIComponent(UNPRINTABLE)}=1` }],
    ['an id', { path: `/v1/pets/${encodeURIComponent(UNPRINTABLE)}` }],
    ['a header', { ...post({ name: 'Rex', categoryId: 1 }), headers: { 'idempotency-key': '\u009b31m' } }],
  ])('contain no control character: %s', async (_what, request) => {
    const { status, text } = await send(request);
    expect(status).toBeGreaterThanOrEqual(400);
    const { message } = JSON.parse(text) as { message: string };
    expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });
});
