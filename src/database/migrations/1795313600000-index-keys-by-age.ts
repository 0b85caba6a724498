import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/migrate.js';

/** For the pages of `keys list`. */
export class IndexKeysByAge1795313600000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndex(queryRunner, 'api_keys_created_at', '"api_keys" ("created_at", "id")');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index "api_keys_created_at"`);
  }
}
