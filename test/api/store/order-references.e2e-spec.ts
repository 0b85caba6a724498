import { describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { sharedService } from '../../support/service.js';
import { orderOf, ordersOf, type Store, storeOf, type OrderShape } from '../../support/store.js';

const ORDERS = '/v1/store/orders';

describe.each(databaseKinds)('the reference of orders on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const partner = storeOf(service, { access: 'order' });
  const other = storeOf(service, { access: 'order' });
  const pet = async () => (await store.create('Rex', 1)).id;
  const place = (by: Store, petId: bigint, reference: unknown) => {
    const body = `{"petId":${petId},"reference":${JSON.stringify(reference)}}`;
    return by.send({ method: 'POST', path: ORDERS, body });
  };
  const placed = async (by: Store, petId: bigint, reference: unknown) => {
    const answer = await place(by, petId, reference);
    expect(answer.status).toBe(201);
    return orderOf(answer);
  };
  const idsOf = async (by: Store, query: string) =>
    (await by.walk<OrderShape>(query, { path: ORDERS })).map(({ id }) => id);

  it('is kept as it was sent, or null', async () => {
    for (const reference of ['PO-7', ' ä☃ ', '😀'.repeat(255), null])
      expect((await placed(partner, await pet(), reference)).reference).toBe(reference);
    expect((await partner.placed(await pet())).reference).toBeNull();
  });

  it.each(['', 7, 'x'.repeat(256), 'a\0b', '\ud800', ['PO-7']])('is refused as %j', async (reference) => {
    expect(expectError(await place(partner, 1n, reference), 'invalid_body')).toContain('reference');
  });

  it('filters lists, alone and with other filters, in pages', async () => {
    const petId = await pet();
    const reference = `PO ${petId}`;
    const own: bigint[] = [];
    for (let n = 0; n < 3; n += 1) {
      own.push((await placed(partner, petId, reference)).id);
      await partner.transition(own.at(-1)!, 'cancel');
    }
    const { id: foreign } = await placed(other, petId, reference);
    await placed(partner, await pet(), `${reference} 2`);
    const query = `reference=${encodeURIComponent(reference)}`;
    expect(await idsOf(partner, `limit=2&${query}`)).toEqual(own);
    expect(await idsOf(store, `limit=3&${query}`)).toEqual([...own, foreign]);
    expect(await idsOf(store, `limit=1&keyId=${partner.id}&${query}`)).toEqual(own);
    expect(await idsOf(store, `limit=1&status=placed&${query}`)).toEqual([foreign]);
    expect(await idsOf(store, `limit=2&petId=${petId}`)).toEqual([...own, foreign]);
    const all = `limit=2&status=cancelled&keyId=${partner.id}&petId=${petId}&${query}`;
    expect(await idsOf(store, all)).toEqual(own);
    expect(await idsOf(store, 'limit=2&petId=-1')).toEqual([]);

    const cursor = String((await store.get(`${ORDERS}?limit=1&${query}`)).headers['x-next-cursor']);
    expectError(await store.get(`${ORDERS}?petId=${petId}&cursor=${cursor}`), 'invalid_cursor');
    const rest = ordersOf(await store.get(`${ORDERS}?${query}&cursor=${cursor}`)).map(({ id }) => id);
    expect(rest).toEqual([...own.slice(1), foreign]);
  });

  it('and the animal are filters with rules', async () => {
    expect(expectError(await partner.get(`${ORDERS}?petId=1`), 'invalid_parameter')).toContain('petId');
    for (const query of ['petId=x', 'reference=', `reference=${'x'.repeat(256)}`])
      expectError(await store.get(`${ORDERS}?${query}`), 'invalid_parameter');
  });
});
