import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePetsAndApiKeys1795132800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table "pets" (
        "id" bigint generated always as identity not null,
        "name" text not null,
        "category_id" bigint not null,
        "status" text not null,
        constraint "pets_pkey" primary key ("id"),
        constraint "pets_status" check (status in ('available', 'pending', 'sold'))
      )`);
    // On (id + 0), so that the planner cannot take the primary key for the order instead (docs/decisions/0044).
    await queryRunner.query(`create index "pets_status_id" on "pets" ("status", ("id" + 0))`);
    await queryRunner.query(`create index "pets_category_id" on "pets" ("category_id", ("id" + 0))`);
    await queryRunner.query(
      `create index "pets_category_status_id" on "pets" ("category_id", "status", ("id" + 0))`,
    );
    await queryRunner.query(`
      create table "api_keys" (
        "id" uuid not null,
        "name" text not null,
        "plan" text not null,
        "per_minute" integer,
        "per_day" integer,
        "read_only" boolean not null default false,
        "prefix" text not null,
        "secret_hash" bytea not null,
        "created_at" timestamp with time zone not null default now(),
        "expires_at" timestamp with time zone,
        "revoked_at" timestamp with time zone,
        "last_used_at" timestamp with time zone,
        constraint "api_keys_pkey" primary key ("id"),
        constraint "api_keys_limits_with_enterprise"
          check ((plan = 'enterprise') = (per_minute is not null and per_day is not null))
      )`);
    await queryRunner.query(`create unique index "api_keys_secret_hash" on "api_keys" ("secret_hash")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table "api_keys"`);
    await queryRunner.query(`drop table "pets"`);
  }
}
