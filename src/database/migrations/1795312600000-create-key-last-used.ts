import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Reads take the newer of this table and api_keys.last_used_at. A later release drops that column, when no release that writes it can
 * run.
 */
export class CreateKeyLastUsed1795312600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Room on each page lets an update stay there and leave the index as it is.
    await queryRunner.query(`
      create table "key_last_used" (
        "key_id" uuid not null,
        "minute" timestamp with time zone not null,
        constraint "key_last_used_pkey" primary key ("key_id")
      ) with (fillfactor = 50)`);
    await queryRunner.query(`
      insert into "key_last_used" select "id", "last_used_at" from "api_keys" where "last_used_at" is not null`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table "key_last_used"`);
  }
}
