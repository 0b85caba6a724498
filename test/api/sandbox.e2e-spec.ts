import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { anyKind, onDatabase } from '../support/databases.js';
import type { Call } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { ownService, sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

const REX = { name: 'Rex', categoryId: 1 };

interface Operation {
  operationId: string;
  responses: Record<string, object>;
}
const { paths } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
/** Every status of 400 and above of every operation. */
const CASES = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId, responses }]) =>
    Object.keys(responses)
      .map(Number)
      .filter((status) => status >= 400)
      .map((status) => ({ operationId, method: method.toUpperCase(), path, status })),
  ),
);

describe('a sandbox', () => {
  const service = ownService(anyKind, { SANDBOX: 'true' });
  const admin = storeOf(service, { access: 'admin' });
  const prefer = (text: string, call: Call = { method: 'POST', path: '/v1/pets', body: REX }) =>
    admin.send({ ...call, headers: { prefer: text } });

  it.each(CASES)('answers $operationId with $status', async ({ method, path, status }) => {
    const target = `/v1${path.replaceAll(/\{\w+\}/g, '1')}`;
    const answer = await prefer(`code=${status}`, { method, path: target });
    expect(answer.body).toMatchObject({ status: BigInt(status), message: expect.stringMatching(/\S/) });
    expect(answer.status).toBe(status);
    expect(answer.headers['x-sandbox']).toBe('true');
  });

  it('shows the headers of a real refusal, and changes nothing', async () => {
    const limited = await prefer('code=429');
    expectError(limited, 'rate_limit_exceeded');
    expect(limited.headers).toMatchObject({ 'x-ratelimit-remaining': '0' });
    const seconds = Number(limited.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    const banned = await prefer('code=429, example=api_key_banned');
    expectError(banned, 'api_key_banned');
    expect(banned.headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'retry-after': '600' });
    expect((await prefer('code=401; example="invalid_api_key"')).headers['www-authenticate']).toContain(
      'error="invalid_token"',
    );
    expect((await prefer('code=503')).headers['retry-after']).toBe('1');
    const next = await admin.list('limit=1');
    expect(next.status).toBe(200);
    expect(Number(next.headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
    expect(await onDatabase(service.database, 'select from pets')).toEqual([]);
  });

  it.each([
    ['GET', '/v1/pets/1', 'endpoint_removed', 'Use GET /pets?status=available instead.'],
    ['PATCH', '/v1/pets/1', 'invalid_status_transition', 'status: sold cannot become available.'],
    [
      'POST',
      '/v1/store/orders/1/approve',
      'invalid_status_transition',
      'status: cancelled cannot become approved.',
    ],
    ['POST', '/v1/keys/1/rotate', 'invalid_status_transition', 'state: revoked cannot become rotated.'],
  ] as const)('answers in the words of the operation: %s %s', async (method, path, code, words) => {
    const status = code === 'endpoint_removed' ? 410 : 409;
    const answer = await prefer(`code=${status}, example=${code}`, { method, path });
    expect(expectError(answer, code)).toContain(words);
  });

  it('names what can be asked for, and answers as always without such a wish', async () => {
    const message = expectError(await prefer('code=418'), 'bad_request');
    expect(message).toContain('429 (rate_limit_exceeded, api_key_banned)');
    expectError(await prefer('code=429, example=pet_not_found'), 'bad_request');
    for (const other of ['', 'return=minimal', 'respond-async, wait=10'])
      expect((await prefer(other)).status).toBe(201);
    const { text } = await service.call({ path: '/openapi.json' });
    expect(text).toContain('This is a sandbox');
  });

  it('refuses a stranger, and a key without the access, whatever they prefer', async () => {
    const call = { method: 'POST', path: '/v1/pets', headers: { prefer: 'code=429' } };
    expectError(await service.call(call), 'missing_api_key');
    const key = await service.issueKey({ access: 'read' });
    expectError(await service.call({ ...call, key }), 'insufficient_access');
  });
});

describe('a service that is no sandbox', () => {
  const store = storeOf(sharedService(anyKind));

  it('ignores Prefer', async () => {
    const answer = await store.send({ path: '/v1/pets', headers: { prefer: 'code=429' } });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-sandbox']).toBeUndefined();
  });
});
