import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddKeyRotation1795305600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table "api_keys"
        add column "old_secret_hash" bytea,
        add column "old_secret_ends_at" timestamp with time zone`);
    await queryRunner.query(
      `create unique index "api_keys_old_secret_hash" on "api_keys" ("old_secret_hash")`,
    );
    await queryRunner.query(`alter table "key_events" add column "detail" text`);
    await queryRunner.query(`create index "key_events_key_id" on "key_events" ("key_id", "id")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index "key_events_key_id"`);
    await queryRunner.query(`alter table "key_events" drop column "detail"`);
    await queryRunner.query(`drop index "api_keys_old_secret_hash"`);
    await queryRunner.query(
      `alter table "api_keys" drop column "old_secret_hash", drop column "old_secret_ends_at"`,
    );
  }
}
