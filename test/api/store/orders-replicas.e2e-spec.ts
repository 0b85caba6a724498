import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnServer, onDatabase, type TestDatabase } from '../../support/databases.js';
import { expectError } from '../../support/http/expect-error.js';
import { cleanUp, Service } from '../../support/service.js';
import { Store, orderOf } from '../../support/store.js';

const REPLICAS = 3;
const ROUNDS = 20;
const ORDERS_A_ROUND = 60;

describeOnServer('replicas on one PostgreSQL', (kind) => {
  let database: TestDatabase;
  let stores: Store[];

  beforeAll(async () => {
    database = await kind.create();
    const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => Service.start(database.env)));
    const keys = await Promise.all([replicas[0]!.issueKey(), replicas[0]!.issueKey()]);
    stores = replicas.flatMap(({ url }) => keys.map((key) => new Store(url, key)));
  });
  afterAll(cleanUp);

  it('accept one of many simultaneous orders for an animal', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id: petId } = await stores[0]!.create('Rex', 1);
      const answers = await Promise.all(
        Array.from({ length: ORDERS_A_ROUND }, (_, n) => stores[n % stores.length]!.order(petId)),
      );
      const won = answers.filter(({ status }) => status === 201);
      expect(won).toHaveLength(1);
      for (const answer of answers) if (answer !== won[0]) expectError(answer, 'pet_not_available');
      const id = String(orderOf(won[0]!).id);
      expect(await onDatabase(database, `select id from orders where pet_id = ${petId}`)).toEqual([{ id }]);
      expect(await onDatabase(database, `select open_order_id as id from pets where id = ${petId}`)).toEqual([
        { id },
      ]);
    }
  });

  it('either deliver or cancel an order when both are requested at once', async () => {
    const [owner] = stores as [Store, ...Store[]];
    const own = stores.filter((_, index) => index % 2 === 0);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id: petId } = await owner.create('Rex', 1);
      const order = await owner.placed(petId);
      await owner.act(order.id, 'approve');
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => {
          const action = n % 2 === 0 ? 'deliver' : 'cancel';
          return own[n % own.length]!.act(order.id, action);
        }),
      );
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken).toHaveLength(1);
      const { status } = orderOf(taken[0]!);
      expect(await owner.statusOf(petId)).toBe(status === 'delivered' ? 'sold' : 'available');
    }
  });
});
