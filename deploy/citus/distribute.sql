-- Spreads the tables over the workers of a Citus coordinator. Run once, while the service is stopped:
--   1. create extension citus   in the database, on the coordinator and on every worker
--   2. select citus_set_coordinator_host('HOST'), then select citus_add_node('HOST', PORT) for every worker
--   3. node dist/cli.js keys list   which creates the tables
--   4. psql "$DATABASE_MIGRATION_URL" -f deploy/citus/distribute.sql
-- The service then needs EVENTS=false, and these parameters in DATABASE_URL:
--   ?options=-c%20citus.max_adaptive_executor_pool_size%3D1%20-c%20plan_cache_mode%3Dauto
-- One transaction: a run that fails or is cut off leaves the tables as they were. A second run fails, and changes nothing.
\set ON_ERROR_STOP on
begin;
set local client_min_messages = warning;
set local citus.enable_unsafe_triggers = on;
do $$ begin
  if exists (select from pg_dist_partition where logicalrelid = 'pets'::regclass) then
    raise exception 'the tables are distributed already';
  end if;
end $$;

-- A shard's trigger cannot write the events of the coordinator. The service runs with EVENTS=false.
drop trigger pets_events_insert on pets;
drop trigger pets_events_update on pets;
drop trigger pets_events_delete on pets;
drop trigger orders_events_insert on orders;
drop trigger orders_events_update on orders;
drop trigger key_events_ban on key_events;
drop trigger quota_marks_event on quota_marks;

-- A primary key of a distributed table includes the column that names the shard; the identity still makes id unique.
alter table orders drop constraint orders_pkey, add constraint orders_pkey primary key (key_id, id);
-- The store finds orders by id alone.
create index orders_id on orders (id);

-- Up to 16 transactions change the animals of one shard at once without waiting for each other.
alter table pet_counts alter column slot type bigint;
delete from pet_counts;
insert into pet_counts
  select slot, 0, 0, 0 from generate_series(1, 16 * current_setting('citus.shard_count')::integer) slot;

-- The trigger runs on a worker for each shard of pets, and counts in the shard of pet_counts that stays beside it.
create or replace function count_pets() returns trigger language plpgsql as $$
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
end $$;

-- Filling the shards of pets fires the trigger, which counts them.
select create_distributed_table('pet_counts', 'slot');
select create_distributed_table('pets', 'id', colocate_with => 'pet_counts');
select create_distributed_table('orders', 'key_id', colocate_with => 'none');
select create_distributed_table('idempotency_keys', 'key_id', colocate_with => 'orders');
select create_distributed_table('usage_days', 'key_id', colocate_with => 'orders');
select create_reference_table('api_keys');
select create_reference_table('key_secrets');
select truncate_local_data_after_distributing_table(name)
  from unnest('{pet_counts,pets,orders,idempotency_keys,usage_days,api_keys,key_secrets}'::regclass[]) name;
commit;
