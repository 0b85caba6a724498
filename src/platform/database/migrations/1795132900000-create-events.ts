import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The feed of events. Triggers write the events of a statement in its own transaction, so no code can change an animal or an order without
 * its event (docs/decisions/0060). One row holds the events of one statement, type and key.
 */
export class CreateEvents1795132900000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SCHEMA);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop function "record_pet_events"() cascade;
      drop function "record_order_events"() cascade;
      drop function "record_ban_event"() cascade;
      drop function "record_quota_event"() cascade;
      drop table "events", "event_feed"`);
  }
}

const SCHEMA = `
  create table "events" (
    "id" bigint generated always as identity not null,
    "position" bigint,
    "size" integer not null,
    "type" text not null,
    "key_id" uuid,
    "actors" text[] not null,
    "data" text[] not null,
    "mark" uuid not null,
    "at" timestamp with time zone not null default clock_timestamp(),
    constraint "events_pkey" primary key ("id"),
    constraint "events_size" check (size >= 1 and size = cardinality(actors) and size = cardinality(data))
  );
  create unique index "events_position" on "events" ("position") where position is not null;
  create index "events_unsettled" on "events" ("id") where coalesce(position, 0) <= 0;
  -- One row: where the feed ends and where it begins. It changes often, so its page keeps room for new versions.
  create table "event_feed" (
    "one" boolean not null default true,
    "last_position" bigint not null default 0,
    "last_mark" uuid,
    "removed_position" bigint not null default 0,
    "removed_mark" uuid,
    constraint "event_feed_pkey" primary key ("one"),
    constraint "event_feed_one" check (one)
  ) with (fillfactor = 10);
  insert into "event_feed" default values;

  -- row_to_json keeps every digit and has every column, so a new column needs no change here.
  create function "record_pet_events"() returns trigger language plpgsql set search_path from current as $$
  begin
    if tg_op = 'INSERT' then
      insert into events (mark, type, size, actors, data)
        select gen_random_uuid(), 'pet.created', count(*), array_agg(changed_by order by id), array_agg(row_to_json(pet)::text order by id)
        from new_pets pet having count(*) > 0;
    elsif tg_op = 'DELETE' then
      insert into events (mark, type, size, actors, data)
        select gen_random_uuid(), 'pet.deleted', count(*), array_agg(changed_by order by id), array_agg(row_to_json(pet)::text order by id)
        from old_pets pet having count(*) > 0;
    else
      insert into events (mark, type, size, actors, data)
        select gen_random_uuid(), 'pet.updated', count(*), array_agg(pet.changed_by order by pet.id), array_agg(row_to_json(pet)::text order by pet.id)
        from new_pets pet join old_pets before using (id)
        where to_jsonb(pet) - '{open_order_id,changed_by}'::text[] <> to_jsonb(before) - '{open_order_id,changed_by}'::text[]
        having count(*) > 0;
    end if;
    return null;
  end $$;
  create trigger "pets_events_insert" after insert on "pets"
    referencing new table as new_pets for each statement execute function "record_pet_events"();
  create trigger "pets_events_update" after update on "pets"
    referencing old table as old_pets new table as new_pets for each statement execute function "record_pet_events"();
  create trigger "pets_events_delete" after delete on "pets"
    referencing old table as old_pets for each statement execute function "record_pet_events"();

  create function "record_order_events"() returns trigger language plpgsql set search_path from current as $$
  begin
    if tg_op = 'INSERT' then
      insert into events (mark, type, key_id, size, actors, data)
        select gen_random_uuid(), 'order.placed', key_id, count(*), array_agg(changed_by order by id),
          array_agg(row_to_json(placed)::text order by id)
        from new_orders placed group by key_id;
    else
      insert into events (mark, type, key_id, size, actors, data)
        select gen_random_uuid(), 'order.' || placed.status, placed.key_id, count(*), array_agg(placed.changed_by order by placed.id),
          array_agg(row_to_json(placed)::text order by placed.id)
        from new_orders placed join old_orders before using (id)
        where placed.status <> before.status group by placed.status, placed.key_id;
    end if;
    return null;
  end $$;
  create trigger "orders_events_insert" after insert on "orders"
    referencing new table as new_orders for each statement execute function "record_order_events"();
  create trigger "orders_events_update" after update on "orders"
    referencing old table as old_orders new table as new_orders for each statement execute function "record_order_events"();

  create function "record_ban_event"() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into events (mark, type, key_id, size, actors, data)
      values (gen_random_uuid(), 'key.banned', new.key_id, 1, array[new.actor], array[json_build_object('keyId', new.key_id,
        'until', new.changes #>> '{bannedUntil,after}')::text]);
    return null;
  end $$;
  create trigger "key_events_ban" after insert on "key_events"
    for each row when (new.kind = 'banned') execute function "record_ban_event"();

  create function "record_quota_event"() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into events (mark, type, key_id, size, actors, data)
      values (gen_random_uuid(), 'key.quota_reached', new.key_id, 1, array['service'], array[json_build_object('keyId', new.key_id, 'date', new.day,
        'percent', new.percent, 'limit', new.day_limit, 'used', new.used)::text]);
    return null;
  end $$;
  create trigger "quota_marks_event" after insert on "quota_marks"
    for each row execute function "record_quota_event"();
`;
