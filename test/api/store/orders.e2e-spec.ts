import { describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../../support/databases.js';
import { OPERATIONS } from '../../support/http/document.js';
import { expectError, VARYING_HEADERS } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { orderOf, ordersOf, storeOf, type OrderShape } from '../../support/store.js';

const ORDERS = '/v1/store/orders';
/** Every operation on one order. */
const ORDER_OPERATIONS = OPERATIONS.filter(({ path }) => path.includes('{orderId}'));

// states.e2e-spec.ts has the states of orders and animals.
describe.each(databaseKinds)('orders on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const other = storeOf(service);
  const lister = storeOf(service);

  const pet = async () => (await store.create('Rex', 1)).id;

  it('reserve the animal when they are placed', async () => {
    const petId = await pet();
    const answer = await store.order(petId);
    expect(answer.status).toBe(201);
    const order = orderOf(answer);
    expect(order).toMatchObject({ petId, status: 'placed', updatedAt: order.createdAt });
    expect(order.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.headers.location).toBe(`${ORDERS}/${order.id}`);
    expect((await store.get(answer.headers.location!)).text).toBe(answer.text);
  });

  it('are refused for an unknown animal, and no order is stored', async () => {
    const before = (await store.get(`${ORDERS}?limit=100`)).text;
    for (const id of [0n, -1n, 2n ** 63n - 1n]) expectError(await store.order(id), 'pet_not_found');
    expect((await store.get(`${ORDERS}?limit=100`)).text).toBe(before);
  });

  it.each([
    '{}',
    '{"petId":"1"}',
    '{"petId":1.5}',
    '{"petId":9223372036854775808}',
    '{"petId":1,"x":2}',
    '[]',
  ])('are refused for the body %s', async (body) => {
    expectError(await store.send({ method: 'POST', path: ORDERS, body }), 'invalid_body');
  });

  it('have actions that accept an empty object as their body, and no other', async () => {
    const { id } = await store.placed(await pet());
    for (const body of ['{"a":1}', '[]', 'null', '1', '""'])
      expectError(await store.act(id, 'approve', body), 'invalid_body');
    expect(orderOf(await store.act(id, 'approve', '{}')).status).toBe('approved');
  });

  it.each(['0', '-1', 'abc', '1.5', '+1', '99999999999999999999', '%31x'])(
    'are not found by the id %s',
    async (id) => {
      for (const { method, path } of ORDER_OPERATIONS)
        expectError(await store.send({ method, path: path.replace('{orderId}', id) }), 'order_not_found');
    },
  );

  it('are listed by id, with a filter and in pages', async () => {
    const placed: OrderShape[] = [];
    for (let n = 0; n < 25; n += 1) placed.push(await lister.placed(await pet()));
    for (const { id } of placed.slice(0, 5)) await lister.act(id, 'cancel');
    const ids = placed.map(({ id }) => id);
    /** Lists with a query, and returns the ids and the cursor of the next page. */
    const page = async (query: string) => {
      const answer = await lister.get(`${ORDERS}?${query}`);
      const cursor = answer.headers['x-next-cursor'] as string | undefined;
      const [filters] = query.split('&cursor=');
      const link = cursor && `<${ORDERS}?${filters}&cursor=${cursor}>; rel="next"`;
      expect(answer.headers.link).toBe(link);
      return { ids: ordersOf(answer).map(({ id }) => id), cursor };
    };
    const first = await page('limit=20');
    const second = await page(`limit=3&cursor=${first.cursor}`);
    const last = await page(`limit=20&cursor=${second.cursor}`);
    expect([first.ids, second.ids, last.ids]).toEqual([ids.slice(0, 20), ids.slice(20, 23), ids.slice(23)]);
    expect(last.cursor).toBeUndefined();

    const cancelled = await page('limit=3&status=cancelled');
    const rest = await page(`limit=3&status=cancelled&cursor=${cancelled.cursor}`);
    expect([cancelled.ids, rest.ids]).toEqual([ids.slice(0, 3), ids.slice(3, 5)]);
    for (const foreign of [`${ORDERS}?cursor=${cancelled.cursor}`, `/v1/pets?cursor=${first.cursor}`])
      expectError(await lister.get(foreign), 'invalid_cursor');
    // Another key may use the cursor, and sees its own orders after it: none.
    for (const query of ['', `?cursor=${first.cursor}`])
      expect((await other.get(ORDERS + query)).text).toBe('[]');
  });

  it.each(['status=sold', 'status=', 'petId=1', 'limit=1&limit=2'])(
    'cannot be listed with %s',
    async (query) => {
      expectError(await store.get(`${ORDERS}?${query}`), 'invalid_parameter');
    },
  );

  it.each(ORDER_OPERATIONS)('of another key are hidden at $method $path', async ({ method, path }) => {
    const { id } = await store.placed(await pet());
    const before = await store.get(`${ORDERS}/${id}`);
    const seen = async (of: bigint) => {
      const answer = await other.send({ method, path: path.replace('{orderId}', String(of)) });
      expectError(answer, 'order_not_found');
      return [answer.text.replace(String(of), 'ID'), { ...answer.headers, ...VARYING_HEADERS }];
    };
    // An id of the same length that no order has.
    expect(await seen(id)).toEqual(await seen(BigInt('9'.repeat(String(id).length))));
    expect((await store.get(`${ORDERS}/${id}`)).text).toBe(before.text);
  });

  it('stay when their animal is deleted', async () => {
    const petId = await pet();
    const { id } = await store.placed(petId);
    await store.act(id, 'cancel');
    expect((await store.remove(petId)).status).toBe(204);
    expect(orderOf(await store.get(`${ORDERS}/${id}`))).toMatchObject({ petId });
  });
});
