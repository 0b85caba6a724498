import { describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { creation, type Call } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

describe('error messages', () => {
  const store = storeOf(sharedService(anyKind));

  const ofBody = async (body: unknown) => expectError(await store.post(body), 'invalid_body');
  const ofQuery = async (query: string) => expectError(await store.list(query), 'invalid_parameter');

  it('name everything invalid, the expected value and the received one', async () => {
    const message = await ofBody(
      '{"name":7,"categoryId":9223372036854775808,"status":"SOLD","colour":1,"id":2}',
    );
    for (const part of 'name|got 7|categoryId|9223372036854775808|available|"SOLD"|colour|"id"'.split('|'))
      expect(message).toContain(part);
    const missing = await ofBody({});
    expect(missing).toMatch(/name.*categoryId/);
    expect(missing).not.toContain('status');
    const query = await ofQuery('limit=0&status=SOLD&ids=a&categoryId=b&colour=red&colour=blue&__proto__=1');
    for (const part of 'limit|0|1 to 100|status|SOLD|ids|categoryId|colour|__proto__'.split('|'))
      expect(query).toContain(part);
  });

  it('list the first five unknown names and count the others', async () => {
    const names = Array.from({ length: 1_040 }, (_, index) => `unknown${index}`);
    const shown = '"unknown0", "unknown1", "unknown2", "unknown3", "unknown4" and';
    const body = await ofBody(Object.fromEntries(names.map((name) => [name, 1])));
    expect(body).toContain(`${shown} 1,035 more: no such field`);
    expect(body).toMatch(/name: .*categoryId: /);
    const query = await ofQuery(`limit=0&${names.slice(0, 500).join('&')}`);
    expect(query).toContain(`${shown} 495 more: no such parameter`);
    expect(query).toContain('limit: ');
  });

  it('have at most 1,000 characters and name every known field, however values are escaped', async () => {
    const escaped = '\u{e0001}'.repeat(20);
    const fields = await ofBody({
      name: escaped.repeat(20),
      categoryId: escaped,
      status: escaped,
      [escaped]: 1,
    });
    for (const name of ['name', 'categoryId', 'status']) expect(fields).toContain(`${name}: expected`);
    const known = ['limit', 'status', 'categoryId', 'ids', 'cursor'];
    const names = [...Array.from({ length: 5 }, (_, index) => `${index}${escaped}`), ...known, ...known];
    const query = await ofQuery(
      new URLSearchParams(names.map((name): [string, string] => [name, escaped])).toString(),
    );
    for (const name of known) expect(query).toContain(name);
    expect(query).toHaveLength(1_000);
  });

  it.each(['$value', '$property', '$target', '$constraint1', '$&', '${7*7}', '%s'])(
    'show %s unchanged',
    async (text) => {
      const status = `status: expected one of available, pending, sold, got "${text}"`;
      expect(await ofBody({ name: text, categoryId: text, status: text })).toBe(
        `categoryId: expected an integer that fits 64 bits, got "${text}"; ${status}`,
      );
      expect(await ofQuery(`status=${encodeURIComponent(text)}`)).toBe(status);
    },
  );

  const UNPRINTABLE = '\u0000\u001b[31m\u007f\u009b\u200e\u202e\u2028\ufeff';
  const IN_URL = encodeURIComponent(UNPRINTABLE);
  it.each<[string, Call]>([
    ['a field', creation({ name: 'Rex', categoryId: UNPRINTABLE })],
    ['the name of a field', creation({ name: 'Rex', categoryId: 1, [UNPRINTABLE]: 1 })],
    ['a field given twice', creation(`{"${UNPRINTABLE.slice(2)}":1,"${UNPRINTABLE.slice(2)}":2}`)],
    ['text that is no JSON', creation(UNPRINTABLE)],
    ['a parameter', { path: `/v1/pets?status=${IN_URL}` }],
    ['the name of a parameter', { path: `/v1/pets?${IN_URL}=1` }],
    ['an id', { path: `/v1/pets/${IN_URL}` }],
    ['a header', creation({ name: 'Rex', categoryId: 1 }, { 'idempotency-key': '\u009b31m' })],
  ])('contain no control character: %s', async (_what, request) => {
    const { status, text } = await store.send(request);
    expect(status).toBeGreaterThanOrEqual(400);
    expect((JSON.parse(text) as { message: string }).message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });
});
