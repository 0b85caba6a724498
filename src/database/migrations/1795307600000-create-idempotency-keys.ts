import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyKeys1795307600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table "idempotency_keys" (
        "key_id" uuid not null,
        "idempotency_key" text not null,
        "fingerprint" bytea not null,
        "status" integer not null,
        "body" text not null,
        "location" text,
        "created_at" timestamp with time zone not null default now(),
        constraint "idempotency_keys_pkey" primary key ("key_id", "idempotency_key")
      )`);
    await queryRunner.query(
      `create index "idempotency_keys_created_at" on "idempotency_keys" ("created_at")`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table "idempotency_keys"`);
  }
}
