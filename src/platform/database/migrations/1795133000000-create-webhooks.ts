import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks: places in the feed of events, each with an address. A trigger writes the event of a webhook that is disabled. */
export class CreateWebhooks1795133000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SCHEMA);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop table "webhooks";
      drop function "record_webhook_event"()`);
  }
}

const SCHEMA = `
  -- Every delivery changes its row and no column of an index, so pages keep room for new versions.
  create table "webhooks" (
    "id" uuid not null,
    "number" bigint generated always as identity not null,
    "key_id" uuid not null,
    "url" text not null,
    "types" text[],
    "status" text not null default 'active',
    "disabled_reason" text,
    "secret" text not null,
    "old_secret" text,
    "old_secret_ends_at" timestamp with time zone,
    "position" bigint not null,
    "position_bits" bigint not null,
    "missed" boolean not null default false,
    "failures" integer not null default 0,
    "failing_since" timestamp with time zone,
    "last_attempt_at" timestamp with time zone,
    "last_status" integer,
    "last_error" text,
    "next_attempt_at" timestamp with time zone,
    "lease" uuid,
    "lease_ends_at" timestamp with time zone,
    "test_ends_at" timestamp with time zone,
    "changed_by" text not null default 'service',
    "created_at" timestamp with time zone not null default now(),
    constraint "webhooks_pkey" primary key ("id"),
    constraint "webhooks_url" check (char_length(url) between 1 and 2048),
    constraint "webhooks_types" check (cardinality(types) between 1 and 20),
    constraint "webhooks_status" check (status in ('active', 'disabled')),
    constraint "webhooks_disabled_reason" check (disabled_reason in ('gone', 'failing', 'key', 'caller')),
    constraint "webhooks_disabled" check ((status = 'disabled') = (disabled_reason is not null)),
    constraint "webhooks_old_secret" check ((old_secret is null) = (old_secret_ends_at is null))
  ) with (fillfactor = 50);
  create unique index "webhooks_number" on "webhooks" ("number");
  create index "webhooks_by_key" on "webhooks" ("key_id", "number");

  create function "record_webhook_event"() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into events (mark, type, key_id, size, actors, data)
      values (gen_random_uuid(), 'webhook.disabled', new.key_id, 1, array[new.changed_by], array[json_build_object('keyId', new.key_id,
        'webhookId', new.id, 'reason', new.disabled_reason)::text]);
    return null;
  end $$;
  create trigger "webhooks_event_disabled" after update on "webhooks"
    for each row when (new.status = 'disabled' and old.status <> 'disabled') execute function "record_webhook_event"();
`;
