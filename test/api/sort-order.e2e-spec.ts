import { beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { Store, storeOf, type OrderShape, type PetShape } from '../support/store.js';

const CATEGORY = 515_151n;
const MIN = -(2n ** 63n);

describe.each(databaseKinds)('order=desc on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const admin = storeOf(service, { access: 'admin' });
  let pets: PetShape[];
  let orders: OrderShape[];

  beforeAll(async () => {
    pets = [];
    orders = [];
    for (let index = 0; index < 7; index += 1)
      pets.push(await store.create(`Pet ${index}`, CATEGORY, index % 2 === 0 ? 'available' : 'sold'));
    for (const { id, status } of pets) if (status === 'available') orders.push(await store.placed(id));
  });

  /** Walks the list in both directions, in pages of two. */
  async function expectBothWays<Row>(path: string, query: string, by: Store = store): Promise<Row[]> {
    const upwards = await by.walk<Row>(`limit=2${query}`, { path });
    expect(upwards.length).toBeGreaterThan(2);
    expect(await by.walk<Row>(`limit=2${query}&order=desc`, { path })).toEqual(upwards.toReversed());
    expect(await by.walk<Row>(`limit=2${query}&order=asc`, { path })).toEqual(upwards);
    return upwards;
  }

  it.each(['', '&status=sold', '&status=pending'])('turns the list of animals around: %s', async (filter) => {
    await expectBothWays('/v1/pets', `${filter}&categoryId=${CATEGORY}`);
  });

  it('turns the list of some animals around', async () => {
    const ids = pets.map(({ id }) => String(id)).join();
    await expectBothWays('/v1/pets', `&ids=${ids}`);
    await expectBothWays('/v1/pets', `&status=sold&ids=${ids}`);
  });

  it.each(['', '&status=placed'])('turns the list of orders around: %s', async (filter) => {
    const path = '/v1/store/orders';
    const all = await expectBothWays<OrderShape>(path, `${filter}&keyId=${store.id}`);
    expect(all.map(({ id }) => id)).toEqual(orders.map(({ id }) => id));
  });

  it('turns the lists of keys and of what was done to a key around', async () => {
    const { id } = await service.issue();
    for (const name of ['a', 'b', 'c', 'd'])
      await admin.send({ method: 'PATCH', path: `/v1/keys/${id}`, body: { name, reference: 'turned' } });
    await expectBothWays(`/v1/keys/${id}/events`, '', admin);
    const [newest] = (await admin.get('/v1/keys?limit=1&order=desc')).body as unknown as { id: string }[];
    const all = await admin.walk<{ id: string }>('limit=100', { path: '/v1/keys' });
    expect(newest!.id).toBe(all.at(-1)!.id);
  });

  it('ends before the lowest id', async () => {
    expect((await store.list(`order=desc&ids=${MIN}`)).body).toEqual([]);
  });

  it.each(['/v1/pets', '/v1/store/orders', '/v1/keys'])(
    'refuses cursors of the other order and other words: %s',
    async (path) => {
      const cursorOf = async (query: string) => {
        const { headers } = await admin.get(`${path}?limit=1${query}`);
        return String(headers['x-next-cursor']);
      };
      expectError(await admin.get(`${path}?order=desc&cursor=${await cursorOf('')}`), 'invalid_cursor');
      expectError(await admin.get(`${path}?cursor=${await cursorOf('&order=desc')}`), 'invalid_cursor');
      expectError(await admin.get(`${path}?order=down`), 'invalid_parameter');
    },
  );
});
