import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { PetFilter } from '../../../src/pets/list-pets.statement.js';
import { SORT_ORDERS } from '../../../src/platform/common/paging.js';
import { PetsRepository } from '../../../src/pets/pets.repository.js';
import { type OrderFilter, OrdersRepository } from '../../../src/store/orders.repository.js';
import { connectTo, describeOnServer } from '../../support/databases.js';
import {
  type Captured,
  captureStatement,
  PLAN_MODES,
  rowsRead,
  scans,
} from '../../support/tools/query-plans.js';

const PETS = 400_000;
const ORDERS = 50_000;
const LIMIT = 20;
const KEY_ID = '00000000-0000-4000-8000-000000000001';
/** A key with two of the orders. */
const RARE_KEY_ID = '00000000-0000-4000-8000-000000000002';

const NO_PAGE = { pets: null, count: 0 };

const pets = (filter: PetFilter, afterId?: bigint) =>
  captureStatement([NO_PAGE], (database) =>
    new PetsRepository(database, undefined as never).list(filter, LIMIT, afterId),
  );
const orders = (filter: OrderFilter, afterId?: bigint) =>
  captureStatement([NO_PAGE], (database) =>
    new OrdersRepository(database, undefined as never).list(filter, LIMIT + 1, afterId),
  );

/** A list, its statement, and the most rows that it may read; one more than a page by default. */
type Row = [what: string, statement: Promise<Captured>, most?: number | undefined];

// The planner's choice needs many rows, which the embedded database would take minutes to write.
describeOnServer('query plans of lists', (kind) => {
  describe.each([
    { spread: 'evenly mixed', status: `(array['available','pending','sold'])[1 + n % 3]` },
    { spread: 'with one sold animal', status: `case when n = ${PETS - 7} then 'sold' else 'available' end` },
  ])(`over ${PETS} animals, $spread`, ({ status }) => {
    let client: pg.Client;

    beforeAll(async () => {
      const database = await kind.create();
      client = await connectTo(database);
      // The role of a service behind a pooler has a short one.
      await client.query('set statement_timeout = 0');
      await client.query(
        `insert into pets (name, category_id, status) select 'Rex', n % 100, ${status} from generate_series(1, ${PETS}) n`,
      );
      await client.query(
        `insert into orders (pet_id, reference, key_id, status) select n, 'PO-' || n / 5, case when n % 25000 = 7 then '${RARE_KEY_ID}' else '${KEY_ID}' end::uuid, case n when 40000 then 'placed' else 'cancelled' end from generate_series(1, ${ORDERS}) n`,
      );
      await client.query('vacuum analyze pets, orders');
    });
    afterAll(() => client.end());

    const deep = BigInt(PETS - 500);
    const ids = Array.from({ length: 100 }, (_, index) => BigInt(index * 4_000 + 1));

    const filters: [what: string, PetFilter][] = [
      ['a page', {}],
      ['a status that is common', { status: 'available' }],
      ['a status that is rare', { status: 'sold' }],
      ['a status without animals', { status: 'pending' }],
      ['a category', { categoryId: 7n }],
      ['a category that is empty', { categoryId: -1n }],
      ['a category and a status', { categoryId: 7n, status: 'available' }],
      ['a category and a rare status', { categoryId: 7n, status: 'sold' }],
      ['ids', { ids }],
      ['ids and a status', { ids, status: 'sold' }],
      ['ids and a category', { ids, categoryId: 7n }],
      ['ids, a category and a status', { ids, categoryId: 1n, status: 'available' }],
    ];
    const orderFilters: [what: string, OrderFilter][] = [KEY_ID, RARE_KEY_ID, undefined].flatMap((keyId) =>
      ([undefined, 'cancelled', 'placed'] as const).map((status): [string, OrderFilter] => [
        `orders with the key ${keyId} and the status ${status}`,
        { keyId, status },
      ]),
    );
    for (const keyId of [undefined, KEY_ID])
      for (const status of [undefined, 'cancelled'] as const)
        for (const few of [{ petId: 7n }, { reference: 'PO-7' }, { petId: 7n, reference: 'PO-1' }])
          orderFilters.push([
            `orders with ${Object.keys(few).join(' and ')}, the key ${keyId} and the status ${status}`,
            { keyId, status, ...few },
          ]);
    const statements: Row[] = SORT_ORDERS.flatMap((order) => [
      ...filters.flatMap(([what, filter]): Row[] => [
        [`${what}, ${order}`, pets({ ...filter, order }), filter.ids?.length],
        [`${what}, deep, ${order}`, pets({ ...filter, order }, deep), filter.ids?.length],
      ]),
      ...orderFilters.flatMap(([what, filter]): Row[] => [
        [`${what}, ${order}`, orders({ ...filter, order })],
        [`${what}, deep, ${order}`, orders({ ...filter, order }, BigInt(ORDERS - 500))],
      ]),
    ]);

    it.each(statements)(
      'use an index and read no extra rows: %s',
      async (_what, statement, most = LIMIT + 1) => {
        for (const mode of PLAN_MODES) {
          for (const node of await scans(client, await statement, mode)) {
            expect(node['Node Type']).toMatch(/^(Index( Only)?|Bitmap Heap) Scan$/);
            expect({ mode, node, isMore: rowsRead(node) > most }).toEqual({ mode, node, isMore: false });
          }
        }
      },
    );
  });
});
