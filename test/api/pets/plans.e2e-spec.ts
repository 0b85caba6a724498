import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Database, Statement } from '../../../src/database/database.js';
import type { PetFilter } from '../../../src/pets/list-pets.statement.js';
import { PetsRepository } from '../../../src/pets/pets.repository.js';
import { OrdersRepository } from '../../../src/store/orders.repository.js';
import { connectTo, describeOnServer, type TestDatabase } from '../../support/databases.js';
import { Service } from '../../support/service.js';

const PETS = 400_000;
const ORDERS = 50_000;
const LIMIT = 20;
const KEY_ID = '00000000-0000-4000-8000-000000000001';

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

const rowsRead = (node: PlanNode) =>
  node['Actual Loops'] *
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0));

const pets = (filter: PetFilter, afterId?: bigint) =>
  captureStatement((database) => new PetsRepository(database).list(filter, LIMIT, afterId));
const orders = (status?: 'placed' | 'cancelled', afterId?: bigint) =>
  captureStatement((database) => new OrdersRepository(database).list(KEY_ID, { status }, LIMIT + 1, afterId));

// The planner's choice needs many rows, which the embedded database would take minutes to write.
describeOnServer('query plans of lists', (kind) => {
  describe.each([
    { spread: 'evenly mixed', status: `(array['available','pending','sold'])[1 + n % 3]` },
    { spread: 'with one sold animal', status: `case when n = ${PETS - 7} then 'sold' else 'available' end` },
  ])(`over ${PETS} animals, $spread`, ({ status }) => {
    let database: TestDatabase;
    let client: pg.Client;

    beforeAll(async () => {
      database = await kind.create();
      await (await Service.start(database.env)).stop();
      client = await connectTo(database);
      await client.query(
        `insert into pets (name, category_id, status) select 'Rex', n % 100, ${status} from generate_series(1, ${PETS}) n`,
      );
      await client.query(
        `insert into orders (pet_id, key_id, status) select n, '${KEY_ID}', case n when 40000 then 'placed' else 'cancelled' end from generate_series(1, ${ORDERS}) n`,
      );
      await client.query('vacuum analyze pets, orders');
    });
    afterAll(async () => {
      await client.end();
      await Service.killAll();
      await database.drop();
    });

    /** The nodes that read a table, from a custom plan or a generic one. */
    async function scans([{ text }, values]: [Statement, unknown[]], mode: string): Promise<PlanNode[]> {
      const literals = values.map((value) =>
        Array.isArray(value)
          ? `'{${value.map((item) => `"${String(item)}"`).join(',')}}'`
          : `'${String(value)}'`,
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

    it.each([
      { what: 'the first page', statement: () => pets({}), most: LIMIT + 1 },
      { what: 'a deep page', statement: () => pets({}, deep), most: LIMIT + 1 },
      { what: 'a status that is common', statement: () => pets({ status: 'available' }), most: LIMIT + 1 },
      {
        what: 'a status that is common, deep',
        statement: () => pets({ status: 'available' }, deep),
        most: LIMIT + 1,
      },
      { what: 'a status that is rare', statement: () => pets({ status: 'sold' }), most: LIMIT + 1 },
      {
        what: 'a status that is rare, deep',
        statement: () => pets({ status: 'sold' }, deep),
        most: LIMIT + 1,
      },
      {
        what: 'a status without animals',
        statement: () => pets({ status: 'pending' }, deep),
        most: LIMIT + 1,
      },
      { what: 'a category', statement: () => pets({ categoryId: 7n }), most: LIMIT + 1 },
      { what: 'a category, deep', statement: () => pets({ categoryId: 7n }, deep), most: LIMIT + 1 },
      { what: 'a category that is empty', statement: () => pets({ categoryId: -1n }), most: LIMIT + 1 },
      {
        what: 'a category and a status',
        statement: () => pets({ categoryId: 7n, status: 'sold' }),
        most: LIMIT + 1,
      },
      {
        what: 'a category and a status, deep',
        statement: () => pets({ categoryId: 7n, status: 'available' }, deep),
        most: LIMIT + 1,
      },
      { what: 'ids', statement: () => pets({ ids }), most: ids.length },
      { what: 'ids, deep', statement: () => pets({ ids }, deep), most: ids.length },
      { what: 'ids and a status', statement: () => pets({ ids, status: 'sold' }), most: ids.length },
      { what: 'ids and a category', statement: () => pets({ ids, categoryId: 7n }), most: ids.length },
      {
        what: 'ids, a category and a status',
        statement: () => pets({ ids, categoryId: 1n, status: 'available' }),
        most: ids.length,
      },
      { what: "a key's orders", statement: () => orders(), most: LIMIT + 1 },
      {
        what: "a key's orders, deep",
        statement: () => orders(undefined, BigInt(ORDERS - 500)),
        most: LIMIT + 1,
      },
      { what: "a key's orders of a common status", statement: () => orders('cancelled'), most: LIMIT + 1 },
      { what: "a key's orders of a rare status", statement: () => orders('placed'), most: LIMIT + 1 },
      {
        what: "a key's orders of a rare status, deep",
        statement: () => orders('placed', 300n),
        most: LIMIT + 1,
      },
    ])('use an index and read no extra rows: $what', async ({ statement, most }) => {
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        for (const node of await scans(await statement(), mode)) {
          expect(node['Node Type']).toMatch(/^(Index( Only)?|Bitmap Heap) Scan$/);
          expect({ mode, node, isMore: rowsRead(node) > most }).toEqual({ mode, node, isMore: false });
        }
      }
    });
  });
});
