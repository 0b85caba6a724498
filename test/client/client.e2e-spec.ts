import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AnimalStoreClient } from '../../packages/client/src/client.js';
import { ApiError, type ErrorCode } from '../../packages/client/src/errors.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { untilDayHasRoom } from '../support/until.js';

const MIN = -(2n ** 63n);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const seen: Item[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

// client.spec.ts, json.spec.ts and paging.spec.ts of the client have the details.
describe('the client with a service', () => {
  const service = sharedService(anyKind);
  // The service is shared, so only this file uses this category.
  const ownCategory = randomInt(2 ** 40);
  let client: AnimalStoreClient;

  const clientWith = (apiKey: string) => new AnimalStoreClient({ baseUrl: `${service.url}/v1`, apiKey });
  const rex = () => client.createPet({ name: 'Rex', categoryId: 7 });

  beforeAll(async () => {
    client = clientWith(await service.issueKey());
  });

  it('creates, reads, changes, lists and deletes an animal', async () => {
    const pet = await rex();
    expect(pet).toMatchObject({ id: expect.any(Number), name: 'Rex', categoryId: 7, status: 'available' });
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    expect(await client.getPet(pet.id)).toEqual(pet);
    const changed = { ...pet, name: 'Max', status: 'pending' };
    expect(await client.updatePet(pet.id, { name: 'Max', status: 'pending' })).toEqual(changed);
    expect((await client.listPets({ ids: [pet.id] })).items).toEqual([changed]);
    await client.deletePet(pet.id);
    expect((await client.listPets({ ids: [pet.id] })).items).toEqual([]);
  });

  it('issues, changes, rotates, lists and revokes keys', async () => {
    const admin = clientWith(await service.issueKey({ access: 'admin' }));
    const issued = await admin.createKey({ name: 'client test', plan: 'free', access: 'order' });
    const own = clientWith(issued.key);
    const { id } = await own.getKey('me');
    expect(id).toBe(issued.id);
    const changed = await admin.updateKey(id, { reference: 'P-7' }, { ifMatch: issued.etag! });
    expect(changed).toMatchObject({ id, reference: 'P-7' });
    const stale = admin.updateKey(id, { name: 'x' }, { ifMatch: issued.etag! });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
    expect((await own.rotateKey('me', { overlapSeconds: 60 })).key).not.toBe(issued.key);
    expect((await admin.unbanKey(id)).id).toBe(id);
    expect((await all(admin.keys({ reference: 'P-7' }))).map((key) => key.id)).toEqual([id]);
    expect((await own.getKeyUsage('me', { days: 1 })).length).toBe(1);
    expect((await admin.listKeyEvents(id)).items.length).toBeGreaterThanOrEqual(3);
    await admin.revokeKey(id);
    await admin.revokeKey(id);
    await expect(own.createKey({ name: 'x', plan: 'free' })).rejects.toBeInstanceOf(ApiError);
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
    expect(free.limits).toMatchObject({ limit: 60 });
    const { plan, windows } = await free.getRateLimit();
    expect(plan).toBe('free');
    expect(windows).toMatchObject([
      { name: 'minute', limit: 60 },
      { name: 'day', limit: 1_000 },
    ]);
    expect(free.limits!.remaining).toBe(windows[0]!.remaining);
    // The same, unless a minute ended in between.
    expect([0, 60]).toContain(windows[0]!.resetAt - free.limits!.resetAt);
    const days = await free.getUsage({ days: 2 });
    expect(days.map(({ admitted }) => admitted)).toEqual([0, expect.any(Number)]);
  });

  it('is exact in paths, queries, bodies, cursors and references', async () => {
    const ids = [1n, 2n, 3n].map((more) => 2n ** 53n + more);
    await onDatabase(
      service,
      `insert into pets (id, name, category_id, status) overriding system value
        select id, 'Rex', $2, 'available' from unnest($1::bigint[]) id`,
      [ids.map(String), ownCategory],
    );
    const walked = await all(client.pets({ categoryId: ownCategory, limit: 1 }));
    expect(walked.map(({ id }) => id)).toEqual(ids);
    expect(await client.updatePet(ids[1]!, { categoryId: MIN })).toEqual({ ...walked[1], categoryId: MIN });
    expect((await client.listPets({ categoryId: MIN, ids: [ids[1]!] })).items).toHaveLength(1);
    const order = await client.placeOrder({ petId: ids[2]! });
    expect((await client.cancelOrder(order.id)).petId).toBe(ids[2]);
    for (const id of ids) await client.deletePet(id);
  });

  it('iterates over all pages of orders', async () => {
    const own = clientWith(await service.issueKey({ access: 'order' }));
    const placed = [];
    while (placed.length < 3) placed.push(await own.placeOrder({ petId: (await rex()).id }));
    expect(await all(own.orders({ status: 'placed', limit: 1 }))).toEqual(placed);
    const { nextCursor: cursor } = await own.listOrders({ limit: 1 });
    expect(await all(own.orders({ cursor: cursor! }))).toEqual(placed.slice(1));
    expect((await own.listOrders({ limit: 3 })).nextCursor).toBeUndefined();
  });

  it.each<[ErrorCode, number, (own: AnimalStoreClient) => Promise<unknown>]>([
    ['pet_not_found', 404, (own) => own.updatePet(MIN, { name: 'Max' })],
    ['invalid_body', 400, (own) => own.createPet({ name: 'Rex', categoryId: 2n ** 63n })],
    ['invalid_api_key', 401, () => clientWith('ask_nobody').listPets()],
    ['body_too_large', 413, (own) => own.createPet({ name: 'x'.repeat(70_000), categoryId: 1 })],
  ])('throws %s', async (code, status, call) => {
    const error = await call(client).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, status, requestId: expect.stringMatching(/./) });
  });
});
