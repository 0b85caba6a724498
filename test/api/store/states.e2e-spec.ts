import { beforeAll, describe, expect, it } from '@jest/globals';
import { atOnce, until } from '../../support/until.js';
import { databaseKinds, describeOnServer, onDatabase, type TestDatabase } from '../../support/databases.js';
import { expectError, expectOneWinner, type Code } from '../../support/http/expect-error.js';
import { Service, sharedService } from '../../support/service.js';
import { orderOf, Store, storeOf } from '../../support/store.js';

/** What each action makes of an animal in each state: its next status, or the word for a refusal. */
const OF_ANIMALS = table(`
             available   pending     sold        delete      order
  available  available   pending     sold        deleted     pending
  pending    available   pending     sold        deleted     TAKEN
  sold       FORBIDDEN   FORBIDDEN   sold        deleted     TAKEN
  deleted    UNKNOWN     UNKNOWN     UNKNOWN     UNKNOWN     UNKNOWN
  placed     OPEN        pending     OPEN        OPEN        TAKEN
  approved   OPEN        pending     OPEN        OPEN        TAKEN
  delivered  FORBIDDEN   FORBIDDEN   sold        deleted     TAKEN
  cancelled  available   pending     sold        deleted     pending
  expired    available   pending     sold        deleted     pending
`);
/** The same for the actions of an order. */
const OF_ORDERS = table(`
             approve     deliver     cancel
  placed     approved    FORBIDDEN   cancelled
  approved   FORBIDDEN   delivered   cancelled
  delivered  FORBIDDEN   FORBIDDEN   FORBIDDEN
  cancelled  FORBIDDEN   FORBIDDEN   FORBIDDEN
  expired    FORBIDDEN   FORBIDDEN   FORBIDDEN
`);
const REFUSALS: Record<string, Code> = {
  TAKEN: 'pet_not_available',
  FORBIDDEN: 'invalid_status_transition',
  UNKNOWN: 'pet_not_found',
  OPEN: 'pet_has_open_order',
};
/** The actions that bring a new order into a state, and the status of its animal. */
const ORDERS: Record<string, { actions: string[]; animal: string }> = {
  placed: { actions: [], animal: 'pending' },
  approved: { actions: ['approve'], animal: 'pending' },
  delivered: { actions: ['approve', 'deliver'], animal: 'sold' },
  cancelled: { actions: ['cancel'], animal: 'available' },
  expired: { actions: [], animal: 'available' },
};

/** One tuple for each cell: state, action, result. */
function table(text: string): [state: string, action: string, result: string][] {
  const [head, ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([state, ...results]) =>
    results.map((result, at): [string, string, string] => [state!, head![at]!, result]),
  );
}

describe.each(databaseKinds)('states on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const other = storeOf(service);

  /** An animal in a state, with an order if it is a state of an order. */
  async function inState(state: string): Promise<{ petId: bigint; orderId?: bigint }> {
    const order = ORDERS[state];
    const { id: petId } = await store.create('Rex', 1, order || state === 'deleted' ? undefined : state);
    if (state === 'deleted') await store.remove(petId);
    if (!order) return { petId };
    const { id: orderId } = await store.placed(petId);
    for (const action of order.actions) expect((await store.transition(orderId, action)).status).toBe(200);
    if (state === 'expired') await untilExpired(orderId);
    return { petId, orderId };
  }
  async function untilExpired(orderId: bigint): Promise<void> {
    await onDatabase(service, 'update orders set expires_at = now() where id = $1', [orderId]);
    await until(async () => orderOf(await store.get(`/v1/store/orders/${orderId}`)).status === 'expired');
  }
  const animal = async (petId: bigint) => (await store.list(`ids=${petId}`)).text;
  const orderText = async (orderId: bigint | undefined) =>
    orderId && (await store.get(`/v1/store/orders/${orderId}`)).text;

  it.each(OF_ANIMALS)('an animal that is %s: %s → %s', async (state, action, result) => {
    const { petId, orderId } = await inState(state);
    const before = [await animal(petId), await orderText(orderId)];
    const answer =
      action === 'delete'
        ? await store.remove(petId)
        : action === 'order'
          ? await other.order(petId)
          : await store.update(petId, { name: 'Max', status: action });
    const refusal = REFUSALS[result];
    // A refused change leaves every field as it was, and an earlier order stays as it is in any case.
    if (refusal) {
      expectError(answer, refusal);
      expect([await animal(petId), await orderText(orderId)]).toEqual(before);
    } else {
      expect(answer.status).toBe({ delete: 204, order: 201 }[action] ?? 200);
      expect(await store.statusOf(petId)).toBe(result === 'deleted' ? undefined : result);
      expect(await orderText(orderId)).toBe(before[1]);
    }
  });

  it.each(OF_ORDERS)('an order that is %s: %s → %s', async (state, action, result) => {
    const { petId, orderId } = await inState(state);
    const before = orderOf(await store.get(`/v1/store/orders/${orderId}`));
    const answer = await store.transition(orderId!, action);
    const refusal = REFUSALS[result];
    if (refusal) expect(expectError(answer, refusal)).toContain(state);
    else {
      expect(orderOf(answer)).toEqual({
        ...before,
        status: result,
        expiresAt: null,
        updatedAt: expect.any(String),
      });
      expect(orderOf(answer).updatedAt > before.updatedAt).toBe(true);
    }
    const after = refusal ? before : orderOf(answer);
    expect(orderOf(await store.get(`/v1/store/orders/${orderId}`))).toEqual(after);
    expect(await store.statusOf(petId)).toBe(ORDERS[after.status]!.animal);
  });

  it('let an animal be either ordered or deleted when both are requested at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await store.create('Rex', 1);
      const [ordered, removed] = await Promise.all([store.order(id), store.remove(id)]);
      expect([ordered.status, removed.status].sort()).toEqual(
        ordered.status === 201 ? [201, 409] : [204, 404],
      );
    }
  });

  it('accept one of many orders for an animal, and one of many actions on it, at once', async () => {
    const { id } = await store.create('Rex', 1);
    const orders = await atOnce(30, (n) => [store, other][n % 2]!.order(id));
    const orderId = orderOf(expectOneWinner(orders, 'pet_not_available')).id;
    const actions = await atOnce(20, (n) => [store, other][n % 2]!.transition(orderId, 'approve'));
    expectOneWinner(actions, 'invalid_status_transition');
  });
});

describeOnServer('states on replicas of one PostgreSQL', (kind) => {
  const REPLICAS = 3;
  const ROUNDS = 20;
  let database: TestDatabase;
  let stores: Store[];

  beforeAll(async () => {
    database = await kind.create();
    const replicas = await atOnce(REPLICAS, () => Service.start(database.env));
    const keys = await Promise.all([replicas[0]!.issueKey(), replicas[0]!.issueKey()]);
    stores = replicas.flatMap((replica) => keys.map((key) => new Store(replica.url, key)));
  });

  it('accept one of many simultaneous orders for an animal', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id: petId } = await stores[0]!.create('Rex', 1);
      const answers = await atOnce(30, (n) => stores[n % stores.length]!.order(petId));
      const id = String(orderOf(expectOneWinner(answers, 'pet_not_available')).id);
      // Two statements, because the tables may be distributed by different columns.
      for (const rows of [
        `select id from orders where pet_id = ${petId}`,
        `select open_order_id as id from pets where id = ${petId}`,
      ])
        expect(await onDatabase(database, rows)).toEqual([{ id }]);
    }
  });

  it('let an order be either delivered or cancelled when both are requested at once', async () => {
    const [owner] = stores as [Store, ...Store[]];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id: petId } = await owner.create('Rex', 1);
      const order = await owner.placed(petId);
      await owner.transition(order.id, 'approve');
      const answers = await atOnce(12, (n) =>
        stores[n % stores.length]!.transition(order.id, n % 2 ? 'deliver' : 'cancel'),
      );
      const taken = orderOf(expectOneWinner(answers, 'invalid_status_transition'));
      expect(await owner.statusOf(petId)).toBe(ORDERS[taken.status]!.animal);
    }
  });
});
