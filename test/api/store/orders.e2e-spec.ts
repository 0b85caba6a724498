import { describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../../support/databases.js';
import { OPERATIONS } from '../../support/http/document.js';
import { expectError, VARYING_HEADERS } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { orderOf, storeOf, type OrderShape } from '../../support/store.js';

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

  // errors.e2e-spec.ts and routes.e2e-spec.ts have more bodies.
  it.each(['{}', '{"petId":"1"}', '{"petId":1.5}', '{"petId":9223372036854775808}', '[]'])(
    'are refused for the body %s',
    async (body) => {
      expectError(await store.send({ method: 'POST', path: ORDERS, body }), 'invalid_body');
    },
  );

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
    const ids: bigint[] = [];
    while (ids.length < 8) ids.push((await lister.placed(await pet())).id);
    for (const id of ids.slice(0, 5)) await lister.act(id, 'cancel');
    const walk = async (query: string) =>
      (await lister.walk<OrderShape>(query, { path: ORDERS })).map(({ id }) => id);
    expect(await walk('limit=3')).toEqual(ids);
    expect(await walk('limit=2&status=cancelled')).toEqual(ids.slice(0, 5));

    const cursorOf = async (query: string) =>
      String((await lister.get(`${ORDERS}?limit=1${query}`)).headers['x-next-cursor']);
    const foreign = [`${ORDERS}?cursor=${await cursorOf('&status=cancelled')}`];
    foreign.push(`/v1/pets?cursor=${await cursorOf('')}`);
    for (const path of foreign) expectError(await lister.get(path), 'invalid_cursor');
    // Another key may use the cursor, and sees its own orders after it: none.
    for (const query of ['', `?cursor=${await cursorOf('')}`])
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
});
