import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { OPERATIONS } from '../../support/http/document.js';
import { expectError, VARYING_HEADERS } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { orderOf, ordersOf, Store, storeOf, type OrderShape } from '../../support/store.js';

const ORDERS = '/v1/store/orders';
/** Every operation on one order, and those of them that partners may call. */
const ORDER_OPERATIONS = OPERATIONS.filter(({ path }) => path.includes('{orderId}'));
const PARTNER_OPERATIONS = ORDER_OPERATIONS.filter((operation) => operation['x-required-access'] === 'order');

// states.e2e-spec.ts has the states of orders and animals.
describe.each(databaseKinds)('orders on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const partner = storeOf(service, { access: 'order' });
  const other = storeOf(service, { access: 'order' });
  const lister = storeOf(service, { access: 'order' });
  const idsOf = async (seenBy: Store, query: string) =>
    (await seenBy.walk<OrderShape>(query, { path: ORDERS })).map(({ id }) => id);

  const pet = async () => (await store.create('Rex', 1)).id;

  it('reserve the animal when they are placed', async () => {
    const petId = await pet();
    const answer = await partner.order(petId);
    expect(answer.status).toBe(201);
    const order = orderOf(answer);
    expect(order).toMatchObject({ petId, keyId: partner.id, status: 'placed', updatedAt: order.createdAt });
    expect(order.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.headers.location).toBe(`${ORDERS}/${order.id}`);
    for (const reader of [partner, store])
      expect((await reader.get(answer.headers.location!)).text).toBe(answer.text);
  });

  it('are refused for an unknown animal, and no order is stored', async () => {
    const before = (await partner.get(`${ORDERS}?limit=100`)).text;
    for (const id of [0n, -1n, 2n ** 63n - 1n]) expectError(await partner.order(id), 'pet_not_found');
    expect((await partner.get(`${ORDERS}?limit=100`)).text).toBe(before);
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
      expectError(await store.transition(id, 'approve', body), 'invalid_body');
    expect(orderOf(await store.transition(id, 'approve', '{}')).status).toBe('approved');
  });

  it.each(['0', '-1', 'abc', '1.5', '+1', '99999999999999999999', '%31x'])(
    'are not found by the id %s',
    async (id) => {
      for (const { method, path } of ORDER_OPERATIONS)
        expectError(await store.send({ method, path: path.replace('{orderId}', id) }), 'order_not_found');
    },
  );

  it('are listed to a partner if they are its own, and to the store from all keys', async () => {
    const own: bigint[] = [];
    for (let n = 0; n < 8; n += 1) {
      own.push((await lister.placed(await pet())).id);
      await other.placed(await pet());
    }
    for (const id of own.slice(0, 5)) await lister.transition(id, 'cancel');
    expect(await idsOf(lister, 'limit=3')).toEqual(own);
    expect(await idsOf(lister, 'limit=2&status=cancelled')).toEqual(own.slice(0, 5));
    expect(await idsOf(store, `limit=3&keyId=${lister.id}`)).toEqual(own);
    expect(await idsOf(store, `limit=2&status=placed&keyId=${lister.id}`)).toEqual(own.slice(5));

    for (const status of ['', 'placed', 'cancelled']) {
      const rows = await onDatabase<{ id: string }>(
        service,
        `select id from orders where $1 in ('', status) order by id`,
        [status],
      );
      const query = status && `&status=${status}`;
      expect(await idsOf(store, `limit=7${query}`)).toEqual(rows.map(({ id }) => BigInt(id)));
    }
    expect(await idsOf(store, `limit=7&keyId=${randomUUID()}`)).toEqual([]);
  });

  it('have cursors for one list and its filters', async () => {
    for (let n = 0; n < 2; n += 1) await lister.placed(await pet());
    const cursorOf = async (query: string) =>
      String((await store.get(`${ORDERS}?limit=1${query}`)).headers['x-next-cursor']);
    const ofKey = `&keyId=${lister.id}`;
    const foreign = [`${ORDERS}?cursor=${await cursorOf(`${ofKey}&status=placed`)}${ofKey}`];
    foreign.push(`${ORDERS}?cursor=${await cursorOf(ofKey)}`, `/v1/pets?cursor=${await cursorOf('')}`);
    for (const path of foreign) expectError(await store.get(path), 'invalid_cursor');
    // A partner may use the cursor of another key, and sees only its own orders after it.
    const orders = ordersOf(await other.get(`${ORDERS}?limit=100&cursor=${await cursorOf('')}`));
    expect(orders.filter(({ keyId }) => keyId !== other.id)).toEqual([]);
  });

  it.each(['status=sold', 'status=', 'petId=x', 'limit=1&limit=2', 'keyId=1', 'keyId='])(
    'cannot be listed with %s',
    async (query) => {
      expectError(await store.get(`${ORDERS}?${query}`), 'invalid_parameter');
    },
  );

  it('are not listed by key to a partner', async () => {
    const answer = await partner.get(`${ORDERS}?keyId=${partner.id}`);
    expect(expectError(answer, 'invalid_parameter')).toContain('manage access');
  });

  it.each(PARTNER_OPERATIONS)('of another key are hidden at $method $path', async ({ method, path }) => {
    const { id } = await partner.placed(await pet());
    const before = await partner.get(`${ORDERS}/${id}`);
    const seen = async (of: bigint) => {
      const answer = await other.send({ method, path: path.replace('{orderId}', String(of)) });
      expectError(answer, 'order_not_found');
      return [answer.text.replace(String(of), 'ID'), { ...answer.headers, ...VARYING_HEADERS }];
    };
    // An id of the same length that no order has.
    expect(await seen(id)).toEqual(await seen(BigInt('9'.repeat(String(id).length))));
    expect((await partner.get(`${ORDERS}/${id}`)).text).toBe(before.text);
  });

  it('are approved and delivered by the store, and cancelled by either', async () => {
    const { id } = await partner.placed(await pet());
    for (const action of ['approve', 'deliver']) {
      expectError(await partner.transition(id, action), 'insufficient_access');
      expect(orderOf(await store.transition(id, action))).toMatchObject({ id, keyId: partner.id });
    }
    const petId = await pet();
    for (const canceller of [partner, store]) {
      const order = await partner.placed(petId);
      expect(orderOf(await canceller.transition(order.id, 'cancel')).status).toBe('cancelled');
    }
  });

  it.each([
    ['revoked', 'revoked_at'],
    ['expired', 'expires_at'],
  ])('of a key that is %s are listed to the store, which sets their animals free', async (_what, column) => {
    const leaving = await service.issue({ access: 'order' });
    const petId = await pet();
    const order = await new Store(service.url, leaving.key).placed(petId);
    await onDatabase(service, `update api_keys set ${column} = now() where id = $1`, [leaving.id]);
    expect(await idsOf(store, `limit=5&status=placed&keyId=${leaving.id}`)).toEqual([order.id]);
    expectError(await store.remove(petId), 'pet_has_open_order');
    expect(orderOf(await store.transition(order.id, 'cancel')).status).toBe('cancelled');
    expect((await store.remove(petId)).status).toBe(204);
  });

  it('give no access to the catalogue to those who place them', async () => {
    const petId = await pet();
    expectError(await partner.remove(petId), 'insufficient_access');
    expectError(await partner.update(petId, { name: 'Max' }), 'insufficient_access');
    expect(await store.statusOf(petId)).toBe('available');
  });
});
