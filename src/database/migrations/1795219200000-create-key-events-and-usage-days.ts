import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateKeyEventsAndUsageDays1795219200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table "key_events" (
        "id" bigint generated always as identity not null,
        "key_id" uuid not null,
        "kind" text not null,
        "at" timestamp with time zone not null default now(),
        constraint "key_events_pkey" primary key ("id")
      )`);
    await queryRunner.query(`create index "key_events_at" on "key_events" ("at")`);
    await queryRunner.query(`
      create table "usage_days" (
        "key_id" uuid not null,
        "day" date not null,
        "admitted" bigint not null,
        "refused" bigint not null,
        constraint "usage_days_pkey" primary key ("key_id", "day")
      )`);
    await queryRunner.query(`
      alter table "api_keys"
        add column "banned_until" timestamp with time zone,
        add column "ban_lasted_ms" integer,
        add column "forgiven_at" timestamp with time zone`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table "api_keys" drop column "banned_until", drop column "ban_lasted_ms", drop column "forgiven_at"`,
    );
    await queryRunner.query(`drop table "usage_days"`);
    await queryRunner.query(`drop table "key_events"`);
  }
}
