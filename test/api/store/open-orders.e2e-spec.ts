import { beforeAll, describe, expect, it } from '@jest/globals';
import { databaseKinds, describeOnServer, onDatabase, type TestDatabase } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { Service, sharedService } from '../../support/service.js';
import { type OrderShape, Store, storeOf } from '../../support/store.js';
import { atOnce, until } from '../../support/until.js';

/** The most open orders of a key, by plan. The test of simultaneous orders needs the limits of an enterprise key. */
const [FREE_BOUND, ENTERPRISE_BOUND] = [10, 10_000];
const AT_ONCE = 200;
const LEFT = 100;

describe.each(databaseKinds)('the bound on open orders on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);
  const pets = (count: number) => atOnce(count, async () => (await store.create('Rex', 1)).id);

  it('is that of the plan, until an order ends', async () => {
    const partner = new Store(service.url, await service.issueKey({ access: 'order', plan: 'free' }));
    const [last, ...others] = (await pets(FREE_BOUND + 1)) as [bigint, ...bigint[]];
    const orders: OrderShape[] = [];
    for (const petId of others) orders.push(await partner.placed(petId));
    expect(expectError(await partner.order(last), 'too_many_open_orders')).toContain('10 open orders');
    expect(await store.statusOf(last)).toBe('available');
    // The animal comes first.
    expectError(await partner.order(others[0]!), 'pet_not_available');
    expectError(await partner.order(-1n), 'pet_not_found');
    await store.transition(orders[0]!.id, 'approve');
    expectError(await partner.order(last), 'too_many_open_orders');
    await partner.transition(orders[1]!.id, 'cancel');
    await partner.placed(last);
  });

  it('does not concern keys with manage access', async () => {
    const staff = new Store(service.url, await service.issueKey({ access: 'manage', plan: 'free' }));
    for (const petId of await pets(FREE_BOUND + 1)) await staff.placed(petId);
  });
});

describeOnServer('the bound on open orders on replicas of one PostgreSQL', (kind) => {
  let database: TestDatabase;
  let replicas: Service[];

  beforeAll(async () => {
    database = await kind.create();
    replicas = await atOnce(2, () => Service.start(database.env));
  });

  it('is exact for simultaneous orders', async () => {
    const { key, id } = await replicas[0]!.issue({ access: 'order' });
    await onDatabase(
      database,
      `insert into orders (pet_id, key_id, status) select -n, $1, 'approved' from generate_series(1, $2::int) n`,
      [id, ENTERPRISE_BOUND - LEFT],
    );
    const pets = await onDatabase<{ id: string }>(
      database,
      `insert into pets (name, category_id, status) select 'Rex', 1, 'available' from generate_series(1, $1::int) returning id`,
      [AT_ONCE],
    );
    const partners = replicas.map(({ url }) => new Store(url, key));
    const answers = await atOnce(AT_ONCE, (n) =>
      // The 503 of a busy machine is no decision.
      until(async () => {
        const answer = await partners[n % partners.length]!.order(BigInt(pets[n]!.id));
        return answer.status !== 503 && answer;
      }),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expectError(answer, 'too_many_open_orders');
    expect(AT_ONCE - refused.length).toBe(LEFT);
    expect(await onDatabase(database, 'select from orders')).toHaveLength(ENTERPRISE_BOUND);
  });
});
