import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from '../schema/migrate.js';

/** For the removal of old days. */
export class IndexUsageDaysByDay1795311600000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndex(queryRunner, 'usage_days_day', '"usage_days" ("day")');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index "usage_days_day"`);
  }
}
