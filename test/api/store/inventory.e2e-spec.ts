import { describe, expect, it } from '@jest/globals';
import { atOnce } from '../../support/until.js';
import { connectTo, databaseKinds, onDatabase } from '../../support/databases.js';
import { runCommand } from '../../support/command-line.js';
import { sharedService } from '../../support/service.js';
import { storeOf } from '../../support/store.js';

type Inventory = Record<'available' | 'pending' | 'sold', bigint>;

describe.each(databaseKinds)('the inventory on $name', (kind) => {
  const service = sharedService(kind);
  const store = storeOf(service);

  const inventory = async () => (await store.get('/v1/store/inventory')).body as unknown as Inventory;
  const totalOf = ({ available, pending, sold }: Inventory) => available + pending + sold;
  const createMany = (count: number) => atOnce(count, () => store.create('Rex', 7));

  /** The number of rows of every status. */
  async function rowCounts(): Promise<Inventory> {
    const counts = 'select status, count(*)::text as count from pets group by status';
    const rows = await onDatabase<{ status: string; count: string }>(service, counts);
    const none = { available: 0n, pending: 0n, sold: 0n };
    return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, BigInt(count)])) };
  }

  it('counts every animal exactly once during concurrent orders', async () => {
    const pets = await createMany(6);
    const total = totalOf(await inventory());
    const race = Promise.all(
      [...pets, ...pets].map(async ({ id }, index) => {
        const answer = await store.order(id);
        const orderId = (answer.body as { id?: bigint }).id!;
        if (answer.status === 201 && index % 2 === 0) await store.transition(orderId, 'cancel');
        if (answer.status === 201 && index % 2 === 1) {
          await store.transition(orderId, 'approve');
          await store.transition(orderId, 'deliver');
        }
      }),
    );
    for (let read = 0; read < 5; read += 1) expect(totalOf(await inventory())).toBe(total);
    await race;
    expect(await inventory()).toEqual(await rowCounts());
    expect((await inventory()).sold).toBeGreaterThan(0n);
  });

  // The embedded database has one session.
  if (kind.name === 'postgresql') {
    it('does not read the animals, so that its cost does not depend on their number', async () => {
      const expected = await rowCounts();
      const blocker = await connectTo(service);
      await blocker.query('begin; lock table pets in access exclusive mode');
      expect(await inventory()).toEqual(expected);
      await blocker.end();
    });
  }

  it('follows changes, deletions and rollbacks', async () => {
    const [first, second, third] = await createMany(3);
    await store.update(first!.id, { status: 'pending' });
    await store.update(first!.id, { name: 'Max' });
    await store.remove(second!.id);
    await store.placed(third!.id);
    // Refused because of the open order, and rolled back.
    expect((await store.order(third!.id)).status).toBe(409);
    expect(await inventory()).toEqual(await rowCounts());
  });

  it('counts seeded animals', async () => {
    expect((await runCommand(service.env, 'seed', '--pets', '2000')).code).toBe(0);
    expect(await inventory()).toEqual(await rowCounts());
  });
});
