import { beforeAll, describe, expect, it } from '@jest/globals';
import { VARYING_HEADERS } from '../../support/http/expect-error.js';
import { databaseKinds } from '../../support/databases.js';
import { document } from '../../support/http/document.js';
import { sharedService } from '../../support/service.js';
import { Store, ordersOf, type OrderShape } from '../../support/store.js';

/** Every operation on an order, which belongs to one key. */
const ORDER_OPERATIONS = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter(() => path.includes('{orderId}'))
    .map((method): [string, string] => [method.toUpperCase(), `/v1${path}`]),
);

describe.each(databaseKinds)('data of one key on $name', (kind) => {
  const service = sharedService(kind);
  let owner: Store;
  let other: Store;
  let orders: OrderShape[];

  beforeAll(async () => {
    owner = new Store(service.url, await service.issueKey());
    other = new Store(service.url, await service.issueKey());
    orders = [];
    for (let placed = 0; placed < 3; placed += 1)
      orders.push(await owner.placed((await owner.create('Rex', 1)).id));
  });

  it.each(ORDER_OPERATIONS)('is hidden from other keys at %s %s', async (method, path) => {
    const asked = async (id: bigint) => {
      const answer = await other.send({ method, path: path.replace('{orderId}', String(id)) });
      const { status, headers } = answer;
      return {
        status,
        text: answer.text.replace(String(id), 'ID'),
        headers: { ...headers, ...VARYING_HEADERS },
      };
    };
    const of = await asked(orders[0]!.id);
    // As long as the existing id.
    const ofNone = await asked(BigInt('9'.repeat(String(orders[0]!.id).length)));
    expect(of).toEqual(ofNone);
    expect(of.status).toBe(404);
    expect((await owner.send({ path: `/v1/store/orders/${orders[0]!.id}` })).body).toEqual(orders[0]);
  });

  it('is not listed for another key, even with the cursor of the owner', async () => {
    const first = await owner.send({ path: '/v1/store/orders?limit=1' });
    const cursor = String(first.headers['x-next-cursor']);
    expect(ordersOf(await owner.send({ path: `/v1/store/orders?cursor=${cursor}` }))).toEqual(
      orders.slice(1),
    );
    for (const path of ['/v1/store/orders', `/v1/store/orders?cursor=${cursor}`])
      expect((await other.send({ path })).text).toBe('[]');
  });
});
