import { afterEach, expect, it } from '@jest/globals';
import { atCleanUp, cleanUp } from '../support/clean-up.js';
import { describeOnServer, onDatabase, type TestDatabase } from '../support/databases.js';
import { Service } from '../support/service.js';
import { Store } from '../support/store.js';
import { atOnce, until } from '../support/until.js';
import { RedisServer } from './support/redis-server.js';

const ORDERS = Number(process.env.FAULT_ORDERS ?? 2_000);
const KILLS = Number(process.env.FAULT_KILLS ?? 10);
/** The orders are due within this time, evenly. */
const DUE_WITHIN_SECONDS = 15;
const APPROVERS = 4;

const countOf = async (database: TestDatabase, where: string) => {
  const [row] = await onDatabase<{ count: string }>(database, `select count(*) from orders where ${where}`);
  return Number(row?.count);
};

/** Placed orders with animals of their own, of which one after the other is due. */
async function placeDue(database: TestDatabase, keyId: string): Promise<void> {
  const statements = [
    `insert into pets (name, category_id, status) select 'Rex', 1, 'pending' from generate_series(1, ${ORDERS})`,
    `insert into orders (pet_id, key_id, status, expires_at)
      select id, '${keyId}', 'placed', now() + random() * interval '${DUE_WITHIN_SECONDS} s' from pets`,
    'update pets set open_order_id = orders.id from orders where pet_id = pets.id',
  ];
  // One transaction: an order could be due before its animal knew of it.
  await onDatabase(database, statements.join('; '));
}

describeOnServer('two replicas', (kind) => {
  afterEach(cleanUp);

  it(`expire ${ORDERS} orders once and within 5 s, over ${KILLS} kills, an outage of Redis, and approvals`, async () => {
    const database = await kind.create();
    const redis = await RedisServer.start();
    const env = { ...database.env, REDIS_URL: redis.url };
    const replicas = [await Service.start(env), await Service.start(env)];
    const { id, key } = await replicas[0]!.issue({ access: 'manage' });
    await placeDue(database, id);
    const run = { isOver: false };
    atCleanUp(() => (run.isOver = true));

    let late = 0;
    const watch = (async () => {
      while (!run.isOver)
        late += await countOf(database, `status = 'placed' and expires_at < now() - interval '5 s'`);
    })();
    const approvers = atOnce(APPROVERS, async (approver) => {
      for (let order = 1 + approver; order <= ORDERS && !run.isOver; order += 7 * APPROVERS) {
        const store = new Store(replicas[order % 2]!.url, key);
        const answer = await store.transition(BigInt(order), 'approve').catch(() => undefined);
        if (answer?.status === 200 && order % 2 === 0)
          await store.transition(BigInt(order), 'deliver').catch(() => undefined);
      }
    });
    for (let kill = 0; kill < KILLS; kill += 1) {
      const left = await countOf(database, `status = 'placed'`);
      if (kill === Math.floor(KILLS / 2)) await redis.kill();
      await replicas[kill % 2]!.stop('SIGKILL');
      replicas[kill % 2] = await Service.start(env);
      // The other one goes on meanwhile.
      await until(async () => (await countOf(database, `status = 'placed'`)) < Math.max(left, 1));
    }
    await redis.startAgain();
    await until(async () => (await countOf(database, `status = 'placed'`)) === 0);
    run.isOver = true;
    await Promise.all([watch, approvers]);
    expect(late).toBe(0);

    const rows = await onDatabase<{ id: string; status: string; animal: string; open: string | null }>(
      database,
      `select orders.id, orders.status, pets.status as animal, open_order_id as open
        from orders join pets on pets.id = pet_id`,
    );
    const ends = await onDatabase<{ id: string; type: string }>(
      database,
      `select item::jsonb ->> 'id' as id, type from events cross join unnest(data) as item
        where type in ('order.expired', 'order.approved')`,
    );
    const typesOf = new Map<string, string[]>();
    for (const end of ends) typesOf.set(end.id, [...(typesOf.get(end.id) ?? []), end.type]);
    expect(rows).toHaveLength(ORDERS);
    expect(rows.filter(({ status }) => status === 'approved').length).toBeGreaterThan(0);
    const animalOf: Record<string, string> = { expired: 'available', approved: 'pending', delivered: 'sold' };
    for (const { id: order, status, animal, open } of rows) {
      expect([status, animal, open !== null]).toEqual([status, animalOf[status], status === 'approved']);
      expect([status, typesOf.get(order)]).toEqual([
        status,
        [status === 'expired' ? 'order.expired' : 'order.approved'],
      ]);
    }
  });
});
