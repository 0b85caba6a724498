import { beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { Store, orderOf, ordersOf, type OrderShape } from '../../support/store.js';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(databaseKinds)('orders on $name', (kind) => {
  const service = sharedService(kind);
  let store: Store;
  let other: Store;

  beforeAll(async () => {
    store = new Store(service.url, await service.issueKey());
    other = new Store(service.url, await service.issueKey());
  });

  const pet = async (status = 'available') => (await store.create('Rex', 1, status)).id;

  it('reserve the animal when they are placed', async () => {
    const petId = await pet();
    const answer = await store.order(petId);
    expect(answer.status).toBe(201);
    const order = orderOf(answer);
    expect(Object.keys(order)).toEqual(['id', 'petId', 'status', 'createdAt', 'updatedAt']);
    expect(order).toMatchObject({ petId, status: 'placed', updatedAt: order.createdAt });
    expect(order.createdAt).toMatch(MOMENT);
    expect(answer.headers.location).toBe(`/v1/store/orders/${order.id}`);
    expect(answer.headers['x-stability']).toBe('beta');
    expect(await store.statusOf(petId)).toBe('pending');
    expect((await store.send({ path: answer.headers.location! })).text).toBe(answer.text);
  });

  it.each([
    ['delivered', ['approve', 'deliver'], 'sold'],
    ['cancelled', ['cancel'], 'available'],
    ['cancelled', ['approve', 'cancel'], 'available'],
  ])('become %s by %j, which makes the animal %s', async (status, actions, petStatus) => {
    const petId = await pet();
    const order = await store.placed(petId);
    let last: OrderShape = order;
    for (const [at, action] of actions.entries()) {
      const answer = await store.act(order.id, action, at === 0 ? undefined : {});
      expect(answer.status).toBe(200);
      last = orderOf(answer);
      if (at < actions.length - 1) expect(await store.statusOf(petId)).toBe('pending');
    }
    expect(last).toEqual({ ...order, status, updatedAt: expect.stringMatching(MOMENT) });
    expect(last.updatedAt > order.createdAt).toBe(true);
    expect(await store.statusOf(petId)).toBe(petStatus);
    for (const action of ['approve', 'deliver', 'cancel'])
      expectError(await store.act(order.id, action), 'invalid_status_transition');
  });

  it('cannot be delivered before they are approved, nor approved twice', async () => {
    const order = await store.placed(await pet());
    expect(expectError(await store.act(order.id, 'deliver'), 'invalid_status_transition')).toContain(
      'placed',
    );
    expect((await store.act(order.id, 'approve')).status).toBe(200);
    expectError(await store.act(order.id, 'approve'), 'invalid_status_transition');
  });

  it('free the animal for another order when they are cancelled', async () => {
    const petId = await pet();
    await store.act((await store.placed(petId)).id, 'cancel');
    expect((await other.order(petId)).status).toBe(201);
  });

  it.each(['pending', 'sold'])('are refused for an animal that is %s', async (status) => {
    expect(expectError(await store.order(await pet(status)), 'pet_not_available')).toContain(status);
  });

  it('are refused for an unknown animal, and no order is stored', async () => {
    const before = (await store.send({ path: '/v1/store/orders?limit=100' })).text;
    for (const id of [0n, -1n, 2n ** 63n - 1n]) expectError(await store.order(id), 'pet_not_found');
    expect((await store.send({ path: '/v1/store/orders?limit=100' })).text).toBe(before);
  });

  it.each([
    '{}',
    '{"petId":"1"}',
    '{"petId":1.5}',
    '{"petId":9223372036854775808}',
    '{"petId":1,"x":2}',
    '[]',
  ])('are refused for the body %s', async (body) => {
    expectError(await store.send({ method: 'POST', path: '/v1/store/orders', body }), 'invalid_body');
  });

  it.each(['{"a":1}', '[]', 'null', '1', '""'])('have actions that refuse the body %s', async (body) => {
    const order = await store.placed(await pet());
    expectError(await store.act(order.id, 'approve', body), 'invalid_body');
    expect((await store.send({ path: `/v1/store/orders/${order.id}` })).body).toMatchObject({
      status: 'placed',
    });
  });

  it.each(['0', '-1', 'abc', '1.5', '+1', '99999999999999999999', '%31x'])(
    'are not found by the id %s',
    async (id) => {
      expectError(await store.send({ path: `/v1/store/orders/${id}` }), 'order_not_found');
      for (const action of ['approve', 'deliver', 'cancel']) {
        const path = `/v1/store/orders/${id}/${action}`;
        expectError(await store.send({ method: 'POST', path }), 'order_not_found');
      }
    },
  );

  it('for one animal are accepted once out of many at once', async () => {
    const petId = await pet();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? store : other).order(petId)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectError(answer, 'pet_not_available');
  });

  it('accept an action once out of many at once', async () => {
    const order = await store.placed(await pet());
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.act(order.id, 'approve')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('are listed by id, with a filter and in pages', async () => {
    const own = new Store(service.url, await service.issueKey());
    const placed: OrderShape[] = [];
    for (let n = 0; n < 25; n += 1) placed.push(await own.placed(await pet()));
    for (const { id } of placed.slice(0, 5)) await own.act(id, 'cancel');
    const first = await own.send({ path: '/v1/store/orders' });
    expect(ordersOf(first).map(({ id }) => id)).toEqual(placed.slice(0, 20).map(({ id }) => id));
    const cursor = String(first.headers['x-next-cursor']);
    expect(first.headers.link).toBe(`</v1/store/orders?limit=20&cursor=${cursor}>; rel="next"`);
    const second = await own.send({ path: `/v1/store/orders?limit=3&cursor=${cursor}` });
    expect(ordersOf(second).map(({ id }) => id)).toEqual(placed.slice(20, 23).map(({ id }) => id));
    const rest = await own.send({
      path: `/v1/store/orders?cursor=${String(second.headers['x-next-cursor'])}`,
    });
    expect(ordersOf(rest)).toHaveLength(2);
    expect(rest.headers.link).toBeUndefined();
    expect(rest.headers['x-next-cursor']).toBeUndefined();

    const cancelled = await own.send({ path: '/v1/store/orders?status=cancelled&limit=3' });
    expect(ordersOf(cancelled).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const next = String(cancelled.headers['x-next-cursor']);
    expectError(await own.send({ path: `/v1/store/orders?cursor=${next}` }), 'invalid_cursor');
    expectError(await own.send({ path: `/v1/pets?cursor=${cursor}` }), 'invalid_cursor');
    expect(
      ordersOf(await own.send({ path: `/v1/store/orders?status=cancelled&cursor=${next}` })),
    ).toHaveLength(2);
  });

  it.each(['limit=0', 'limit=101', 'status=sold', 'status=', 'petId=1', 'limit=1&limit=2'])(
    'cannot be listed with %s',
    async (query) => {
      expectError(await store.send({ path: `/v1/store/orders?${query}` }), 'invalid_parameter');
    },
  );

  it('need a writing key, except for reading', async () => {
    const reader = new Store(service.url, await service.issueKey({ readOnly: true }));
    expectError(await reader.order(await pet()), 'read_only_key');
    expectError(await reader.act(1n, 'approve'), 'read_only_key');
    expect((await reader.send({ path: '/v1/store/orders' })).text).toBe('[]');
    expect((await reader.send({ path: '/v1/store/inventory' })).status).toBe(200);
  });

  it('stay when their animal is deleted', async () => {
    const petId = await pet();
    const order = await store.placed(petId);
    await store.act(order.id, 'cancel');
    expect((await store.remove(petId)).status).toBe(204);
    expect((await store.send({ path: `/v1/store/orders/${order.id}` })).body).toMatchObject({ petId });
    expectError(await store.order(petId), 'pet_not_found');
  });
});
