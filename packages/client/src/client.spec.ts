import { describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { AnimalStoreClient } from './client.js';
import { ApiError, UnexpectedAnswerError, type ErrorCode } from './errors.js';
import { TurnedTimer } from '../test/turned-timer.js';

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, { operationId: string; 'x-stability': string }>>;
};
const operationIds = Object.values(document.paths)
  .flatMap((item) => Object.values(item))
  .filter((operation) => operation['x-stability'] !== 'experimental')
  .map(({ operationId }) => operationId);

/** A client whose service gives these answers; `requests` records what the client sent. */
function answered(...answers: Response[]) {
  const requests: Request[] = [];
  const client = new AnimalStoreClient({
    baseUrl: 'https://store.test/v1/',
    apiKey: 'ask_secret',
    timer: new TurnedTimer(),
    fetch: (input, init) => {
      requests.push(new Request(input, init));
      return Promise.resolve(answers.shift()!);
    },
  });
  return { client, requests };
}

const json = (body: string, status = 200, headers?: Record<string, string>) =>
  new Response(status === 204 ? null : body, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
const failure = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error('nothing failed');
    },
    (error: unknown) => error,
  );

describe('the client', () => {
  it.each(operationIds)('has a method for %s', (operationId) => {
    expect(AnimalStoreClient.prototype).toHaveProperty(operationId, expect.any(Function));
  });

  it('reaches every other operation by its path', async () => {
    const { client, requests } = answered(json('{"available":9007199254740993}'));
    const { data } = await client.http.GET('/store/inventory');
    expect(data).toEqual({ available: 9007199254740993n });
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer ask_secret');
  });

  it('sends the key, and does not print it', async () => {
    const { client, requests } = answered(json('[]'));
    await client.listPets();
    expect(requests[0]!.url).toBe('https://store.test/v1/pets');
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer ask_secret');
    expect(JSON.stringify(client) + String(Object.values(client))).not.toContain('ask_');
  });

  it('gives every POST its own Idempotency-Key, but testWebhook and those whose answer holds a secret', async () => {
    const notSecure = jest.spyOn(crypto, 'randomUUID').mockImplementation(() => {
      throw new TypeError('crypto.randomUUID is not a function');
    });
    const order = () => json('{"id":1}');
    const { client, requests } = answered(...Array.from({ length: 12 }, order));
    await client.createPet({ name: 'Rex', categoryId: 1 });
    await client.placeOrder({ petId: 1 });
    await client.approveOrder(1);
    await client.unbanKey('me');
    await client.cancelOrder(1, { idempotencyKey: 'mine' });
    await client.updatePet(1, { name: 'Max' });
    await client.getOrder(1);
    await client.createKey({ name: 'shop', plan: 'free' });
    await client.rotateKey('me');
    await client.createWebhook({ url: 'https://partner.test/' });
    const webhookId = '0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34';
    await client.rotateWebhookSecret(webhookId);
    await client.testWebhook(webhookId);
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys.slice(0, 4)).size).toBe(4);
    for (const key of keys.slice(0, 4)) expect(key).toMatch(/^[\da-f-]{36}$/);
    expect(keys.slice(4)).toEqual(['mine', ...Array<null>(7).fill(null)]);
    notSecure.mockRestore();
  });

  it.each<Record<string, string>>([{}, { 'content-length': '27' }])(
    'reads int64 exactly with the headers %j',
    async (headers) => {
      const { client } = answered(json('[{"id":9007199254740993}]', 200, headers));
      expect((await client.listPets()).items).toEqual([{ id: 9_007_199_254_740_993n }]);
    },
  );

  it('sends nothing when a number may have been rounded', async () => {
    const { client, requests } = answered();
    for (const call of [
      client.createPet({ name: 'Rex', categoryId: 2 ** 53 }),
      client.getOrder(2 ** 53),
      client.listPets({ ids: [2 ** 53] }),
    ]) {
      expect(await failure(call)).toBeInstanceOf(RangeError);
    }
    expect(requests).toEqual([]);
  });

  it('throws an ApiError with a code that TypeScript can narrow', async () => {
    const body = '{"code":"pet_not_found","message":"There is no pet 7.","status":404}';
    const { client } = answered(json(body, 404, { 'x-request-id': 'abc' }));
    const error = await failure(client.updatePet(7, { name: 'Max' }));
    if (!(error instanceof ApiError)) throw error;
    expect(error).toMatchObject({
      message: 'There is no pet 7.',
      status: 404,
      requestId: 'abc',
      name: 'ApiError',
    });
    // @ts-expect-error The compiler finds a code that is not in the set.
    expect(error.code === 'pet_not_fuond').toBe(false);
    if (error.code !== 'pet_not_found') throw error;
    const narrowed: 'pet_not_found' = error.code;
    expect(narrowed satisfies ErrorCode).toBe('pet_not_found');
  });

  it('throws an error with retryAfterMs if it does not wait', async () => {
    const body = '{"code":"api_key_banned","message":"Banned.","status":429}';
    const { client } = answered(json(body, 429, { 'retry-after': '600' }));
    expect(await failure(client.listPets())).toMatchObject({ code: 'api_key_banned', retryAfterMs: 600_000 });
  });

  it.each([
    ['a page of a proxy', new Response('<h1>Forbidden</h1>', { status: 403 })],
    ['no body', new Response(null, { status: 500 })],
    ['JSON of another form', json('{"error":"no"}', 400)],
    ['a success that is not JSON', json('<html>')],
    ['a success without a body', json('')],
  ])('rejects %s with an UnexpectedAnswerError', async (_what, response) => {
    const { status } = response;
    const error = await failure(answered(response).client.listPets());
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({ status });
  });

  it('shows the limits of the last response with limit headers', async () => {
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': '1795132860',
    };
    const { client } = answered(json('[]', 200, headers), json('[]'));
    expect(client.limits).toBeUndefined();
    await client.listPets();
    const seen = { limit: 60, remaining: 59, resetAt: 1_795_132_860 };
    expect(client.limits).toEqual(seen);
    await client.listPets();
    expect(client.limits).toEqual(seen);
  });

  it('shows the etag beside the fields of a result, and sends it as If-Match', async () => {
    const tagged = (body: string) => json(body, 200, { etag: 'W/"abc"' });
    const { client, requests } = answered(
      tagged('{"id":1}'),
      tagged('[{"id":1}]'),
      json('{"id":1}'),
      json('', 204),
      json('{"id":2}'),
    );
    const pet = await client.updatePet(1, { name: 'Max' });
    expect([pet.etag, JSON.stringify(pet), { ...pet }]).toEqual(['"abc"', '{"id":1}', { id: 1 }]);
    const { etag } = await client.listPets({ ids: [1] });
    const changed = await client.updatePet(1, { name: 'Tom' }, { ifMatch: etag! });
    expect(changed.etag).toBeUndefined();
    await client.deletePet(1, { ifMatch: pet.etag! });
    await client.approveOrder(2, { ifMatch: '*', idempotencyKey: 'mine' });
    const sent = requests.map(({ headers }) => headers.get('if-match'));
    expect(sent).toEqual([null, null, '"abc"', '"abc"', '*']);
    expect(requests[4]!.headers.get('idempotency-key')).toBe('mine');
    // An unconditional change must be meant.
    await expect(client.deletePet(1, { ifMatch: changed.etag! })).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(5);
  });

  it('reads all pages with the largest limit and the same filters', async () => {
    const { client, requests } = answered(
      json('[{"id":1}]', 200, { 'x-next-cursor': 'AQ' }),
      json('[{"id":2}]'),
    );
    const pets = await Array.fromAsync(client.pets({ status: 'sold', ids: [1, 2] }));
    expect(pets).toEqual([{ id: 1 }, { id: 2 }]);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=100&status=sold&ids=1,2',
      '?limit=100&status=sold&ids=1,2&cursor=AQ',
    ]);
  });
});
