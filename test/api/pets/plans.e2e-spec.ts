import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Database, Statement } from '../../../src/platform/database/database.js';
import type { PetFilter } from '../../../src/pets/list-pets.statement.js';
import { SORT_ORDERS } from '../../../src/platform/common/paging.js';
import { PetsRepository } from '../../../src/pets/pets.repository.js';
import { type OrderFilter, OrdersRepository } from '../../../src/store/orders.repository.js';
import { connectTo, describeOnServer } from '../../support/databases.js';

const PETS = 400_000;
const ORDERS = 50_000;
const LIMIT = 20;
const KEY_ID = '00000000-0000-4000-8000-000000000001';
/** A key with two of the orders. */
const RARE_KEY_ID = '00000000-0000-4000-8000-000000000002';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** The statement that a repository would run, and its values. */
async function captureStatement(
  run: (database: Database) => Promise<unknown>,
): Promise<[Statement, unknown[]]> {
  let captured: [Statement, unknown[]] | undefined;
  const query = (statement: Statement, values: unknown[]) => {
    captured = [statement, values];
    return Promise.resolve([{ pets: null, count: 0 }]);
  };
  await run({ query } as unknown as Database);
  return captured!;
}

function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return node['Actual Loops'] * (node['Actual Rows'] + removed);
}

const pets = (filter: PetFilter, afterId?: bigint) =>
  captureStatement((database) =>
    new PetsRepository(database, undefined as never).list(filter, LIMIT, afterId),
  );
const orders = (filter: OrderFilter, afterId?: bigint) =>
  captureStatement((database) =>
    new OrdersRepository(database, undefined as never).list(filter, LIMIT + 1, afterId),
  );

/** A list, its statement, and the most rows that it may read; one more than a page by default. */
type Row = [what: string, statement: ReturnType<typeof pets>, most?: number | undefined];

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

    /** The nodes that read a table, from a custom plan or a generic one. */
    async function scans([{ text }, values]: [Statement, unknown[]], mode: string): Promise<PlanNode[]> {
      const literals = values.map((value) =>
        Array.isArray(value) ? `'{${value.join()}}'` : `'${String(value)}'`,
      );
      await client.query(`set plan_cache_mode = ${mode}`);
      await client.query(`prepare listed as ${text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) execute listed(${literals.join(', ')})`,
      );
      await client.query('deallocate listed');
      const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)];
      return all(rows[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] !== undefined);
    }

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
        for (const mode of ['force_custom_plan', 'force_generic_plan']) {
          for (const node of await scans(await statement, mode)) {
            expect(node['Node Type']).toMatch(/^(Index( Only)?|Bitmap Heap) Scan$/);
            expect({ mode, node, isMore: rowsRead(node) > most }).toEqual({ mode, node, isMore: false });
          }
        }
      },
    );
  });
});
