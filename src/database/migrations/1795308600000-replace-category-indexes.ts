import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each list reads an index of its own: no other may give its order (docs/decisions/0044). A release that still orders by
 * the spelling before goes on answering, more slowly, until it is replaced.
 */
export class ReplaceCategoryIndexes1795308600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create index "pets_by_category" on "pets" ("category_id", (0 + "id"))`);
    await queryRunner.query(
      `create index "pets_by_category_status" on "pets" ("category_id", "status", ("id" - 0))`,
    );
    await queryRunner.query(`drop index "pets_category_id"`);
    await queryRunner.query(`drop index "pets_category_status_id"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create index "pets_category_id" on "pets" ("category_id", ("id" + 0))`);
    await queryRunner.query(
      `create index "pets_category_status_id" on "pets" ("category_id", "status", ("id" + 0))`,
    );
    await queryRunner.query(`drop index "pets_by_category"`);
    await queryRunner.query(`drop index "pets_by_category_status"`);
  }
}
