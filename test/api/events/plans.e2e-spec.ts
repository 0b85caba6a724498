import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Statement } from '../../../src/platform/database/database.js';
import { SETTLE, UNSETTLED } from '../../../src/events/feed/feed.statements.js';
import { connectTo, describeOnServer } from '../../support/databases.js';

const EVENTS = 20_000;
/** From here on PostgreSQL compiles a plan before it runs it, unless it is told otherwise. */
const JIT_ABOVE_COST = 100_000;

/** What a statement costs by the planner's estimate, and the blocks that it reads. */
async function runOf(client: pg.Client, { text }: Statement): Promise<{ cost: number; blocks: number }> {
  const { rows } = await client.query<{
    'QUERY PLAN': [
      { Plan: { 'Total Cost': number; 'Shared Hit Blocks': number; 'Shared Read Blocks': number } },
    ];
  }>(`explain (analyze, buffers, format json) ${text}`);
  const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
  return { cost: plan['Total Cost'], blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

// As in the first minute of a service under load: nothing has been vacuumed or analyzed, and the old version of each event has an index entry.
describeOnServer('query plans of the settler', (kind) => {
  let client: pg.Client;
  beforeAll(async () => {
    client = await connectTo(await kind.create());
  });
  afterAll(() => client.end());

  it('read what waits for a position, and nothing that has one', async () => {
    await client.query('alter table events set (autovacuum_enabled = off)');
    await client.query('alter table event_feed set (autovacuum_enabled = off)');
    const add = (count: number) =>
      client.query(
        `insert into events (mark, type, size, actors, data)
         select gen_random_uuid(), 'pet.created', 1, array['service'], array['{}'] from generate_series(1, ${count})`,
      );
    await add(EVENTS);
    while ((await client.query<{ count: number }>(SETTLE.text)).rows[0]!.count > 0);
    const { rows } = await client.query<{ blocks: number }>(
      `select (pg_relation_size('events') / 8192)::int as blocks`,
    );
    await add(1);
    for (const statement of [UNSETTLED, SETTLE]) {
      const { cost, blocks } = await runOf(client, statement);
      expect(cost).toBeLessThan(JIT_ABOVE_COST);
      expect(blocks).toBeLessThan(rows[0]!.blocks / 2);
    }
  });
});
