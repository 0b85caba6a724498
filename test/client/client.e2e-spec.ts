import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AnimalStoreClient } from '../../packages/client/src/client.js';
import { ApiError, type ErrorCode } from '../../packages/client/src/errors.js';
import type { Int64 } from '../../packages/client/src/int64.js';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { untilDayHasRoom } from '../support/until.js';
import { cleanUp, Service } from '../support/service.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const MAX_SAFE = Number.MAX_SAFE_INTEGER;

describe.each(databaseKinds)('the client with a service on $name', (kind) => {
  let database: TestDatabase;
  let service: Service;
  let client: AnimalStoreClient;

  const clientWith = (apiKey: string) => new AnimalStoreClient({ baseUrl: `${service.url}/v1`, apiKey });
  const rex = (categoryId: Int64 = 7) => client.createPet({ name: 'Rex', categoryId });

  beforeAll(async () => {
    database = await kind.create();
    service = await Service.start(database.env);
    client = clientWith(await service.issueKey());
  });
  afterAll(cleanUp);

  it('creates, reads, changes, lists and deletes an animal', async () => {
    const pet = await rex();
    expect(pet).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 7, status: 'available' });
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    expect(await client.getPet(pet.id)).toEqual(pet);
    const changed = { ...pet, name: 'Max', status: 'pending' };
    expect(await client.updatePet(pet.id, { name: 'Max', status: 'pending' })).toEqual(changed);
    expect((await client.listPets({ ids: [pet.id] })).items).toEqual([changed]);
    await client.deletePet(pet.id);
    expect((await client.listPets({ ids: [pet.id] })).items).toEqual([]);
  });

  it('places, cancels, approves, delivers and reads orders', async () => {
    const petId = (await rex()).id;
    const before = await client.getInventory();
    const order = await client.placeOrder({ petId });
    expect(order).toMatchObject({ petId, status: 'placed' });
    expect(await client.getInventory()).toMatchObject({ pending: Number(before.pending) + 1 });
    expect((await client.cancelOrder(order.id)).status).toBe('cancelled');
    const { id } = await client.placeOrder({ petId });
    expect((await client.approveOrder(id)).status).toBe('approved');
    expect((await client.deliverOrder(id)).status).toBe('delivered');
    expect(await client.getOrder(id)).toMatchObject({ id, petId, status: 'delivered' });
    expect((await client.listPets({ ids: [petId] })).items).toMatchObject([{ status: 'sold' }]);
  });

  it('shows the limits and the usage', async () => {
    const free = clientWith(await service.issueKey({ plan: 'free' }));
    await untilDayHasRoom();
    await free.listPets();
    expect(free.limits).toMatchObject({ limit: 60, resetAt: expect.any(Date) });
    const { plan, windows } = await free.getRateLimit();
    expect(plan).toBe('free');
    expect(windows.map(({ name, limit }) => [name, limit])).toEqual([
      ['minute', 60],
      ['day', 1_000],
    ]);
    expect(free.limits!.remaining).toBe(windows[0]!.remaining);
    const days = await free.getUsage({ days: 2 });
    expect(days.map(({ admitted }) => admitted)).toEqual([0, expect.any(Number)]);
  });

  describe('int64', () => {
    it.each<[Int64, string]>([
      [MIN, '-9223372036854775808'],
      [-(2n ** 53n) - 1n, '-9007199254740993'],
      [-MAX_SAFE, '-9007199254740991'],
      [0, '0'],
      [MAX_SAFE, '9007199254740991'],
      [2n ** 53n, '9007199254740992'],
      [2n ** 53n + 1n, '9007199254740993'],
      [MAX, '9223372036854775807'],
    ])('%s is sent and received exactly', async (categoryId, digits) => {
      const { id } = await rex(categoryId);
      const [row] = await onDatabase<{ category_id: string }>(
        database,
        `select category_id::text from pets where id = ${id.toString()}`,
      );
      expect(row!.category_id).toBe(digits);
      const { items } = await client.listPets({ categoryId, ids: [id] });
      expect(items).toEqual([{ id, name: 'Rex', categoryId, status: 'available' }]);
    });

    it('is a number if it is a safe integer, also when sent as a bigint', async () => {
      expect((await rex(7n)).categoryId).toBe(7);
    });

    it('is exact in paths, queries, cursors and references', async () => {
      const next = (await rex()).id;
      for (const table of ['pets', 'orders']) {
        await onDatabase(database, `alter sequence ${table}_id_seq restart with 9007199254740993`);
      }
      const pets = [await rex(9), await rex(9), await rex(9)];
      const ids = [2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 53n + 3n];
      expect(pets.map(({ id }) => id)).toEqual(ids);
      const walked = [];
      for await (const { id } of client.pets({ categoryId: 9, limit: 1 })) walked.push(id);
      expect(walked).toEqual(ids);
      expect(await client.updatePet(ids[1]!, { name: 'Max' })).toEqual({ ...pets[1], name: 'Max' });
      const order = await client.placeOrder({ petId: ids[2]! });
      expect(order).toMatchObject({ id: ids[0], petId: ids[2] });
      expect((await client.approveOrder(order.id)).petId).toBe(ids[2]);
      expect(typeof next).toBe('number');
    });
  });

  it('iterates over all pages of animals and orders', async () => {
    const categoryId = 4_242;
    const made = [];
    for (let count = 0; count < 7; count += 1) made.push((await rex(categoryId)).id);
    const pets = [];
    for await (const pet of client.pets({ categoryId, status: 'available', limit: 3 })) pets.push(pet.id);
    expect(pets).toEqual(made);

    const own = clientWith(await service.issueKey());
    const placed = [];
    for (const petId of made) placed.push((await own.placeOrder({ petId })).id);
    const orders = [];
    for await (const order of own.orders({ status: 'placed', limit: 3 })) orders.push(order.id);
    expect(orders).toEqual(placed);
    const first = await own.listOrders({ limit: 3 });
    const rest = [];
    for await (const { id } of own.orders({ cursor: first.nextCursor! })) rest.push(id);
    expect(rest).toEqual(placed.slice(3));
    expect((await own.listOrders({ limit: 7 })).nextCursor).toBeUndefined();
  });

  it.each<[ErrorCode, number, (own: AnimalStoreClient) => Promise<unknown>]>([
    ['pet_not_found', 404, (own) => own.updatePet(MIN, { name: 'Max' })],
    ['order_not_found', 404, (own) => own.getOrder(MAX)],
    ['invalid_body', 400, (own) => own.updatePet(1, {})],
    ['invalid_body', 400, (own) => own.createPet({ name: 'Rex', categoryId: MAX + 1n })],
    ['invalid_parameter', 400, (own) => own.listPets({ ids: [] })],
    ['invalid_cursor', 400, (own) => own.listPets({ cursor: 'AQ' })],
    ['invalid_idempotency_key', 400, (own) => own.cancelOrder(1, { idempotencyKey: '' })],
    ['invalid_api_key', 401, () => clientWith('ask_nobody').listPets()],
  ])('throws %s', async (code, status, call) => {
    const error = await call(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, status, requestId: expect.stringMatching(/./) });
  });

  it('throws body_too_large for a large body', async () => {
    const call = client.createPet({ name: 'x'.repeat(70_000), categoryId: 1 });
    await expect(call).rejects.toMatchObject({ code: 'body_too_large' });
  });
});
