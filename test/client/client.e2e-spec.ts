import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AnimalStoreClient } from '../../packages/client/src/client.js';
import { ApiError, type ErrorCode } from '../../packages/client/src/errors.js';
import type { Int64 } from '../../packages/client/src/int64.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { untilDayHasRoom } from '../support/until.js';

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const seen: Item[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

describe.each(databaseKinds)('the client with a service on $name', (kind) => {
  const service = sharedService(kind);
  // The service is shared, so only this file uses these categories.
  const ownCategory = randomInt(2 ** 40);
  let client: AnimalStoreClient;

  const clientWith = (apiKey: string) => new AnimalStoreClient({ baseUrl: `${service.url}/v1`, apiKey });
  const rex = (categoryId: Int64 = 7) => client.createPet({ name: 'Rex', categoryId });

  beforeAll(async () => {
    client = clientWith(await service.issueKey());
  });

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

  it('places, cancels, approves, delivers and reads orders, and counts animals', async () => {
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
  });

  it('shows the limits and the usage', async () => {
    const free = clientWith(await service.issueKey({ plan: 'free' }));
    await untilDayHasRoom();
    await free.listPets();
    expect(free.limits).toMatchObject({ limit: 60, resetAt: expect.any(Date) });
    const { plan, windows } = await free.getRateLimit();
    expect(plan).toBe('free');
    expect(windows).toMatchObject([
      { name: 'minute', limit: 60 },
      { name: 'day', limit: 1_000 },
    ]);
    expect(free.limits!.remaining).toBe(windows[0]!.remaining);
    const days = await free.getUsage({ days: 2 });
    expect(days.map(({ admitted }) => admitted)).toEqual([0, expect.any(Number)]);
  });

  it.each<Int64>([
    MIN,
    -(2n ** 53n) - 1n,
    -Number.MAX_SAFE_INTEGER,
    0,
    Number.MAX_SAFE_INTEGER,
    2n ** 53n,
    MAX,
  ])('sends and receives %s exactly, as a number if that is safe', async (categoryId) => {
    const { id } = await rex(BigInt(categoryId));
    const select = 'select category_id::text as digits from pets where id = $1';
    expect(await onDatabase(service, select, [id])).toEqual([{ digits: String(categoryId) }]);
    const { items } = await client.listPets({ categoryId, ids: [id] });
    expect(items).toEqual([{ id, name: 'Rex', categoryId, status: 'available' }]);
  });

  it('is exact in paths, queries, cursors and references', async () => {
    const categoryId = ownCategory + 1;
    const ids = [1n, 2n, 3n].map((more) => 2n ** 53n + more);
    await onDatabase(
      service,
      `insert into pets (id, name, category_id, status) overriding system value
        select id, 'Rex', $2, 'available' from unnest($1::bigint[]) id`,
      [ids.map(String), categoryId],
    );
    const walked = await all(client.pets({ categoryId, limit: 1 }));
    expect(walked.map(({ id }) => id)).toEqual(ids);
    expect(await client.updatePet(ids[1]!, { name: 'Max' })).toEqual({ ...walked[1], name: 'Max' });
    const order = await client.placeOrder({ petId: ids[2]! });
    expect((await client.cancelOrder(order.id)).petId).toBe(ids[2]);
    for (const id of ids) await client.deletePet(id);
  });

  it('iterates over all pages of animals and orders', async () => {
    const made = [];
    for (let count = 0; count < 7; count += 1) made.push((await rex(ownCategory)).id);
    const pets = client.pets({ categoryId: ownCategory, status: 'available', limit: 3 });
    expect((await all(pets)).map(({ id }) => id)).toEqual(made);

    const own = clientWith(await service.issueKey());
    const placed = [];
    for (const petId of made) placed.push(await own.placeOrder({ petId }));
    expect(await all(own.orders({ status: 'placed', limit: 3 }))).toEqual(placed);
    const { nextCursor: cursor } = await own.listOrders({ limit: 3 });
    expect(await all(own.orders({ cursor: cursor! }))).toEqual(placed.slice(3));
    expect((await own.listOrders({ limit: 7 })).nextCursor).toBeUndefined();
  });

  it.each<[ErrorCode, number, (own: AnimalStoreClient) => Promise<unknown>]>([
    ['pet_not_found', 404, (own) => own.updatePet(MIN, { name: 'Max' })],
    ['order_not_found', 404, (own) => own.getOrder(MAX)],
    ['invalid_body', 400, (own) => own.createPet({ name: 'Rex', categoryId: MAX + 1n })],
    ['invalid_parameter', 400, (own) => own.listPets({ ids: [] })],
    ['invalid_cursor', 400, (own) => own.listPets({ cursor: 'AQ' })],
    ['invalid_idempotency_key', 400, (own) => own.cancelOrder(1, { idempotencyKey: '' })],
    ['invalid_api_key', 401, () => clientWith('ask_nobody').listPets()],
    ['body_too_large', 413, (own) => own.createPet({ name: 'x'.repeat(70_000), categoryId: 1 })],
  ])('throws %s', async (code, status, call) => {
    const error = await call(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, status, requestId: expect.stringMatching(/./) });
  });
});
