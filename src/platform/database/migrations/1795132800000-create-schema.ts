import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The schema of the first release. Later releases add migrations and leave this one as it is. */
export class CreateSchema1795132800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SCHEMA);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop table "idempotency_keys", "pet_imports", "quota_marks", "usage_writers", "usage_days", "key_events", "key_secrets", "api_keys", "orders",
        "pets", "pet_counts";
      drop function "count_pets"()`);
  }
}

const SCHEMA = `
  create table "pets" (
    "id" bigint generated always as identity not null,
    "name" text not null,
    "category_id" bigint not null,
    "status" text not null,
    "open_order_id" bigint,
    "changed_by" text not null default 'service',
    constraint "pets_pkey" primary key ("id"),
    constraint "pets_name" check (char_length(name) between 1 and 255),
    constraint "pets_status" check (status in ('available', 'pending', 'sold')),
    constraint "pets_reserved_is_pending" check (open_order_id is null or status = 'pending')
  );
  -- Each list reads an index of its own (docs/decisions/0044).
  create index "pets_by_status" on "pets" ("status", "id");
  create index "pets_by_category" on "pets" ("category_id", "id");
  create index "pets_by_category_status" on "pets" ("category_id", "status", "id");

  -- The number of animals by status, in constant time. Triggers add each statement's changes to a slot in the same transaction.
  -- A transaction takes a slot that no other transaction holds, so that none waits.
  -- Half-filled pages leave room for the new versions of rows that change often.
  create table "pet_counts" (
    "slot" integer not null,
    "available" bigint not null,
    "pending" bigint not null,
    "sold" bigint not null,
    constraint "pet_counts_pkey" primary key ("slot")
  ) with (fillfactor = 50);
  insert into "pet_counts" select slot, 0, 0, 0 from generate_series(0, 127) slot;
  create function "count_pets"() returns trigger language plpgsql set search_path from current as $$
  declare
    added bigint[] := '{0,0,0}';
    removed bigint[] := '{0,0,0}';
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
    update pet_counts set available = available + added[1] - removed[1],
      pending = pending + added[2] - removed[2], sold = sold + added[3] - removed[3]
    where slot = coalesce(
      (select slot from pet_counts where slot = pg_backend_pid() % 128 for update skip locked),
      (select slot from pet_counts limit 1 for update skip locked),
      pg_backend_pid() % 128);
    return null;
  end $$;
  create trigger "pets_count_insert" after insert on "pets"
    referencing new table as new_pets for each statement execute function "count_pets"();
  create trigger "pets_count_update" after update on "pets"
    referencing old table as old_pets new table as new_pets for each statement execute function "count_pets"();
  create trigger "pets_count_delete" after delete on "pets"
    referencing old table as old_pets for each statement execute function "count_pets"();

  create table "orders" (
    "id" bigint generated always as identity not null,
    "pet_id" bigint not null,
    "key_id" uuid not null,
    "reference" text,
    "status" text not null,
    "expires_at" timestamp with time zone,
    "created_at" timestamp with time zone not null default now(),
    "updated_at" timestamp with time zone not null default now(),
    "changed_by" text not null default 'service',
    constraint "orders_pkey" primary key ("id"),
    constraint "orders_status" check (status in ('placed', 'approved', 'delivered', 'cancelled', 'expired')),
    constraint "orders_reference" check (char_length(reference) between 1 and 255),
    constraint "orders_expires_at" check (expires_at is null or status = 'placed')
  );
  create index "orders_by_key" on "orders" ("key_id", "id");
  create index "orders_by_key_status" on "orders" ("key_id", "status", "id");
  -- The store lists the orders of all keys: by the primary key, or by status.
  create index "orders_by_status" on "orders" ("status", "id");
  create index "orders_by_pet" on "orders" ("pet_id", "id");
  create index "orders_by_reference" on "orders" ("reference", "id") where reference is not null;
  create index "orders_by_key_reference" on "orders" ("key_id", "reference", "id") where reference is not null;
  create index "orders_due" on "orders" ("expires_at") where status = 'placed';

  create table "api_keys" (
    "id" uuid not null,
    "number" bigint generated always as identity not null,
    "name" text not null,
    "reference" text,
    "plan" text not null,
    "per_minute" integer,
    "per_day" integer,
    "access" text not null default 'read',
    "prefix" text not null,
    "created_at" timestamp with time zone not null default now(),
    "expires_at" timestamp with time zone,
    "revoked_at" timestamp with time zone,
    "banned_until" timestamp with time zone,
    "ban_duration_ms" integer,
    "penalties_reset_at" timestamp with time zone,
    constraint "api_keys_pkey" primary key ("id"),
    constraint "api_keys_name" check (char_length(name) between 1 and 255),
    constraint "api_keys_reference" check (char_length(reference) between 1 and 255),
    constraint "api_keys_plan" check (plan in ('free', 'pro', 'business', 'enterprise')),
    constraint "api_keys_access" check (access in ('read', 'order', 'manage', 'admin')),
    constraint "api_keys_limits" check (per_minute >= 1 and per_day >= 1),
    constraint "api_keys_limits_with_enterprise"
      check ((plan = 'enterprise') = (per_minute is not null) and (per_minute is null) = (per_day is null))
  );
  -- The order of lists, and one index for each filter in that order.
  create unique index "api_keys_number" on "api_keys" ("number");
  create index "api_keys_by_plan" on "api_keys" ("plan", "number");
  create index "api_keys_by_access" on "api_keys" ("access", "number");
  create index "api_keys_by_reference" on "api_keys" ("reference", "number");
  create index "api_keys_revoked_at" on "api_keys" ("revoked_at");
  create index "api_keys_expires_at" on "api_keys" ("expires_at");
  create index "api_keys_banned_until" on "api_keys" ("banned_until");

  create table "key_secrets" (
    "number" bigint generated always as identity not null,
    "key_id" uuid not null,
    "hash" bytea not null,
    "prefix" text not null,
    "ends_at" timestamp with time zone,
    constraint "key_secrets_pkey" primary key ("number"),
    constraint "key_secrets_hash" check (octet_length(hash) = 32)
  );
  create unique index "key_secrets_by_hash" on "key_secrets" ("hash");
  create index "key_secrets_by_prefix" on "key_secrets" ("prefix");
  create index "key_secrets_key_id" on "key_secrets" ("key_id", "number");

  create table "key_events" (
    "id" bigint generated always as identity not null,
    "key_id" uuid not null,
    "kind" text not null,
    "actor" text not null,
    "changes" jsonb not null default '{}',
    "at" timestamp with time zone not null default clock_timestamp(),
    constraint "key_events_pkey" primary key ("id"),
    constraint "key_events_kind" check (kind in ('created', 'updated', 'rotated', 'revoked', 'banned', 'unbanned'))
  );
  create index "key_events_at" on "key_events" ("at");
  create index "key_events_key_id" on "key_events" ("key_id", "id");

  create table "usage_days" (
    "key_id" uuid not null,
    "day" date not null,
    "admitted" bigint not null,
    "refused" bigint not null,
    "deprecated" bigint not null default 0,
    "last_used_at" timestamp with time zone not null default now(),
    constraint "usage_days_pkey" primary key ("key_id", "day"),
    constraint "usage_days_counts" check (admitted >= deprecated and deprecated >= 0 and refused >= 0)
  );
  -- For the removal of old days.
  create index "usage_days_day" on "usage_days" ("day");
  -- For the keys that call what is deprecated.
  create index "usage_days_deprecated" on "usage_days" ("key_id", "day") where deprecated > 0;

  -- The last batch of usage that each process has written, so that a batch whose outcome is unknown can be sent again.
  create table "usage_writers" (
    "id" uuid not null,
    "batch" bigint not null,
    "written_at" timestamp with time zone not null default now(),
    constraint "usage_writers_pkey" primary key ("id")
  );
  create index "usage_writers_written_at" on "usage_writers" ("written_at");

  create table "quota_marks" (
    "key_id" uuid not null,
    "day" date not null,
    "percent" integer not null,
    "day_limit" integer not null,
    "used" integer not null,
    constraint "quota_marks_pkey" primary key ("key_id", "day", "percent"),
    constraint "quota_marks_percent" check (percent in (80, 100))
  );
  create index "quota_marks_day" on "quota_marks" ("day");

  -- How much of each imported file has been added.
  create table "pet_imports" (
    "file_digest" bytea not null,
    "added" bigint not null,
    "changed_at" timestamp with time zone not null default now(),
    constraint "pet_imports_pkey" primary key ("file_digest")
  );

  create table "idempotency_keys" (
    "key_id" uuid not null,
    "idempotency_key" text not null,
    "fingerprint" bytea not null,
    "status" integer not null,
    "body" text not null,
    "location" text,
    "created_at" timestamp with time zone not null default now(),
    constraint "idempotency_keys_pkey" primary key ("key_id", "idempotency_key"),
    constraint "idempotency_keys_key" check (idempotency_key ~ '^[ -~]{1,255}$'),
    constraint "idempotency_keys_fingerprint" check (octet_length(fingerprint) = 32),
    constraint "idempotency_keys_status" check (status in (200, 201)),
    constraint "idempotency_keys_location" check (location ~ '^[!-~]+$')
  );
  create index "idempotency_keys_created_at" on "idempotency_keys" ("created_at");`;
