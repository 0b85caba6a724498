import type { DataSource, EntityManager } from 'typeorm';
import { RefusedInputError } from '../../common/errors/api-error.js';
import { type DatabaseSettings, openWithoutTimeouts } from '../data-source.js';
import { migrate, withMigrationLock } from './migrate.js';
import { waitForServer } from '../wait-for-server.js';

/** How many transactions may change the animals of one shard at once without waiting for each other. */
const COUNT_SLOTS_A_SHARD = 16;

const NODES = `
  select nodename || ':' || nodeport as name, groupid = 0 and citus_is_coordinator() as "isCoordinator",
    isactive and citus_check_connection_to_node(nodename, nodeport) as answers
  from pg_dist_node where noderole = 'primary' and (groupid = 0 or shouldhaveshards) order by nodeid`;

// The trigger of CreateSchema runs on a worker for each shard of `pets`, and counts in the shard of `pet_counts` that stays
// beside it.
const COUNT_PETS_OF_SHARD = `
  create or replace function "count_pets"() returns trigger language plpgsql as $$
  declare
    added bigint[] := '{0,0,0}';
    removed bigint[] := '{0,0,0}';
    counts text;
  begin
    if tg_op <> 'DELETE' then
      select array[count(*) filter (where status = 'available'), count(*) filter (where status = 'pending'),
        count(*) filter (where status = 'sold')] into added from new_pets;
    end if;
    if tg_op <> 'INSERT' then
      select array[count(*) filter (where status = 'available'), count(*) filter (where status = 'pending'),
        count(*) filter (where status = 'sold')] into removed from old_pets;
    end if;
    if added = removed then
      return null;
    end if;
    select format('%I.%I', tg_table_schema, 'pet_counts_' || counted.shardid) into strict counts
    from pg_dist_shard counted join pg_dist_shard changed using (shardminvalue)
    where changed.shardid = substring(tg_table_name from '[0-9]+$')::bigint
      and counted.logicalrelid = format('%I.pet_counts', tg_table_schema)::regclass;
    execute format(
      'update %1$s set available = available + $1, pending = pending + $2, sold = sold + $3
       where slot = coalesce((select slot from %1$s limit 1 for update skip locked), (select min(slot) from %1$s))',
      counts) using added[1] - removed[1], added[2] - removed[2], added[3] - removed[3];
    return null;
  end $$`;

// A primary key of a distributed table includes the column that names the shard; the identity still makes `id` unique. Filling
// the shards of `pets` fires the trigger, which counts them.
const DISTRIBUTE = [
  'set local client_min_messages = warning',
  'set local citus.enable_unsafe_triggers = on',
  'alter table orders drop constraint orders_pkey, add constraint orders_pkey primary key (key_id, id)',
  // The store finds orders by id alone.
  'create index orders_id on orders (id)',
  'alter table pet_counts alter column slot type bigint',
  'delete from pet_counts',
  `insert into pet_counts select slot, 0, 0, 0
    from generate_series(1, ${COUNT_SLOTS_A_SHARD} * current_setting('citus.shard_count')::integer) slot`,
  COUNT_PETS_OF_SHARD,
  `select create_distributed_table('pet_counts', 'slot')`,
  `select create_distributed_table('pets', 'id', colocate_with => 'pet_counts')`,
  `select create_distributed_table('orders', 'key_id', colocate_with => 'none')`,
  `select create_distributed_table('idempotency_keys', 'key_id', colocate_with => 'orders')`,
  `select create_distributed_table('usage_days', 'key_id', colocate_with => 'orders')`,
  `select create_reference_table('api_keys')`,
  `select truncate_local_data_after_distributing_table(name)
    from unnest('{pet_counts,pets,orders,idempotency_keys,usage_days,api_keys}'::regclass[]) name`,
];

/**
 * Spreads the tables over the workers of a Citus coordinator, in one transaction: a run that is cut off leaves the tables as
 * they were. Resolves with the workers, and with whether the tables were distributed before.
 *
 * @throws RefusedInputError where there is no Citus, or a node of it is missing.
 */
export async function distribute(
  settings: DatabaseSettings,
): Promise<{ workers: string[]; wasDone: boolean }> {
  if (settings.url === undefined) {
    throw new RefusedInputError('Set DATABASE_URL: the embedded database cannot be distributed.');
  }
  if (!(await waitForServer(settings)).hasCitus) {
    throw new RefusedInputError(
      'The database has no Citus: run "create extension citus" in it on the coordinator and on every worker.',
    );
  }
  const dataSource = await openWithoutTimeouts(settings);
  try {
    const workers = await checkNodes(dataSource);
    await migrate(settings);
    const wasDone = await withMigrationLock(dataSource, () =>
      dataSource.transaction('READ COMMITTED', distributeUnlessDone),
    );
    return { workers, wasDone };
  } finally {
    await dataSource.destroy();
  }
}

async function checkNodes(dataSource: DataSource): Promise<string[]> {
  const nodes = await dataSource.query<{ name: string; isCoordinator: boolean; answers: boolean }[]>(NODES);
  const silent = nodes.filter(({ answers }) => !answers).map(({ name }) => name);
  if (silent.length > 0) {
    throw new RefusedInputError(`The coordinator cannot reach ${silent.join(', ')}: nothing is changed.`);
  }
  if (!nodes.some(({ isCoordinator }) => isCoordinator)) {
    throw new RefusedInputError(
      `The database is not a Citus coordinator: run "select citus_set_coordinator_host('HOST')" in it, or name the coordinator.`,
    );
  }
  const workers = nodes.filter(({ isCoordinator }) => !isCoordinator).map(({ name }) => name);
  if (workers.length > 0) return workers;
  throw new RefusedInputError(
    `The coordinator has no worker: run "select citus_add_node('HOST', PORT)" in the database for each.`,
  );
}

/** Resolves with true where the tables are distributed. */
async function distributeUnlessDone({ queryRunner }: EntityManager): Promise<boolean> {
  if (!queryRunner) throw new Error('a transaction without a connection');
  const distributed = (await queryRunner.query(
    `select from pg_dist_partition where logicalrelid = 'pets'::regclass and partmethod = 'h'`,
  )) as unknown[];
  if (distributed.length > 0) return true;
  for (const statement of DISTRIBUTE) await queryRunner.query(statement);
  return false;
}
