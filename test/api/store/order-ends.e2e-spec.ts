import { describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase } from '../../support/databases.js';
import { ownService } from '../../support/service.js';
import { orderOf, storeOf } from '../../support/store.js';
import { atOnce, until } from '../../support/until.js';

const ORDERS = '/v1/store/orders';
const MINUTE_MS = 60_000;
/** More than a transaction expires. */
const MANY = 250;
const APPROVALS = 10;

// states.e2e-spec.ts has what callers may do with an expired order.
describe.each(databaseKinds)('the end of orders on $name', (kind) => {
  const service = ownService(kind, { ORDER_HOLD_MINUTES: '30' });
  const store = storeOf(service);
  const place = async () => store.placed((await store.create('Rex', 1)).id);
  const makeDue = (ids: bigint[]) =>
    onDatabase(service, `update orders set expires_at = now() where id = any($1) and status = 'placed'`, [
      ids,
    ]);
  const read = async (id: bigint) => orderOf(await store.get(`${ORDERS}/${id}`));

  it('is ORDER_HOLD_MINUTES after they are placed, until they are approved', async () => {
    const order = await place();
    expect(Date.parse(order.expiresAt!) - Date.parse(order.createdAt)).toBe(30 * MINUTE_MS);
    expect((await read(order.id)).expiresAt).toBe(order.expiresAt);
    expect(orderOf(await store.transition(order.id, 'approve')).expiresAt).toBeNull();
  });

  it('makes their animals available, and no other', async () => {
    const [due, later, approved] = [await place(), await place(), await place()];
    await store.transition(approved.id, 'approve');
    await makeDue([due.id, approved.id]);
    const expired = await until(async () => {
      const order = await read(due.id);
      return order.status === 'expired' && order;
    });
    expect(expired).toEqual({ ...due, status: 'expired', expiresAt: null, updatedAt: expired.updatedAt });
    expect(expired.updatedAt > due.updatedAt).toBe(true);
    expect(await store.statusOf(due.petId)).toBe('available');
    expect((await store.placed(due.petId)).id).toBeGreaterThan(due.id);
    for (const other of [later, approved]) expect(await store.statusOf(other.petId)).toBe('pending');
  });

  it('comes for many at once, and is one of them and an approval', async () => {
    const pets = await onDatabase<{ id: string }>(
      service,
      `insert into pets (name, category_id, status) select 'Rex', 1, 'pending' from generate_series(1, $1::int) returning id`,
      [MANY],
    );
    const orders = await onDatabase<{ id: string }>(
      service,
      `insert into orders (pet_id, key_id, status, expires_at) select pet, $2, 'placed', now() + interval '1 day'
        from unnest($1::bigint[]) pet returning id`,
      [pets.map(({ id }) => id), store.id],
    );
    const ids = orders.map(({ id }) => BigInt(id));
    await onDatabase(
      service,
      'update pets set open_order_id = orders.id from orders where pet_id = pets.id and orders.id = any($1)',
      [ids],
    );
    const approvals = atOnce(APPROVALS, async (n) => {
      const id = ids[(n * MANY) / APPROVALS]!;
      return (await store.transition(id, 'approve')).status === 200 ? String(id) : '';
    });
    await makeDue(ids);
    const approved = new Set(await approvals);
    const rows = await until(async () => {
      const read = await onDatabase<{ id: string; order: string; animal: string }>(
        service,
        `select orders.id, orders.status as order, pets.status as animal
          from orders join pets on pets.id = pet_id where orders.id = any($1)`,
        [ids],
      );
      return read.every(({ order }) => order !== 'placed') && read;
    });
    for (const { id, order, animal } of rows)
      expect([order, animal]).toEqual(approved.has(id) ? ['approved', 'pending'] : ['expired', 'available']);
  });
});

describe.each(databaseKinds)('orders of a service that holds them for ever on $name', (kind) => {
  const store = storeOf(ownService(kind, { ORDER_HOLD_MINUTES: '0' }));

  it('have no end', async () => {
    expect((await store.placed((await store.create('Rex', 1)).id)).expiresAt).toBeNull();
  });
});
