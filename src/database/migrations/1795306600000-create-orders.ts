import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrders1795306600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table "orders" (
        "id" bigint generated always as identity not null,
        "pet_id" bigint not null,
        "key_id" uuid not null,
        "status" text not null,
        "created_at" timestamp with time zone not null default now(),
        "updated_at" timestamp with time zone not null default now(),
        constraint "orders_pkey" primary key ("id"),
        constraint "orders_status" check (status in ('placed', 'approved', 'delivered', 'cancelled'))
      )`);
    await queryRunner.query(`create index "orders_key_id" on "orders" ("key_id", ("id" + 0))`);
    await queryRunner.query(
      `create index "orders_key_status_id" on "orders" ("key_id", "status", (0 + "id"))`,
    );
    await queryRunner.query(`alter table "pets" add column "open_order_id" bigint`);
    // The column is new and empty: there is nothing to validate, and no reason to read a large table under a lock.
    await queryRunner.query(`
      alter table "pets" add constraint "pets_reserved_is_pending"
        check (open_order_id is null or status = 'pending') not valid`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table "pets" drop column "open_order_id"`);
    await queryRunner.query(`drop table "orders"`);
  }
}
