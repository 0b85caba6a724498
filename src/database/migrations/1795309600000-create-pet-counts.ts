import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The number of animals by status, in constant time. Triggers add each statement's changes to a slot in the same transaction,
 * for every release and every path. A transaction takes a slot that no other transaction holds, so that none waits.
 * FillPetCounts adds the animals that exist already.
 */
export class CreatePetCounts1795309600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Half-filled pages leave room for the new versions of rows that change often.
    await queryRunner.query(`
      create table "pet_counts" (
        "slot" integer not null,
        "available" bigint not null,
        "pending" bigint not null,
        "sold" bigint not null,
        constraint "pet_counts_pkey" primary key ("slot")
      ) with (fillfactor = 50)`);
    await queryRunner.query(
      `insert into "pet_counts" select slot, 0, 0, 0 from generate_series(0, 127) slot`,
    );
    await queryRunner.query(`
      create function "count_pets"() returns trigger language plpgsql as $$
      declare
        changes record;
      begin
        if tg_op = 'INSERT' then
          select count(*) filter (where status = 'available') as available,
            count(*) filter (where status = 'pending') as pending,
            count(*) filter (where status = 'sold') as sold
          into changes from new_pets;
        elsif tg_op = 'DELETE' then
          select -count(*) filter (where status = 'available') as available,
            -count(*) filter (where status = 'pending') as pending,
            -count(*) filter (where status = 'sold') as sold
          into changes from old_pets;
        else
          select coalesce(sum(change) filter (where status = 'available'), 0) as available,
            coalesce(sum(change) filter (where status = 'pending'), 0) as pending,
            coalesce(sum(change) filter (where status = 'sold'), 0) as sold
          into changes
          from (select status, 1 as change from new_pets union all select status, -1 from old_pets) changed;
          if changes.available = 0 and changes.pending = 0 and changes.sold = 0 then
            return null;
          end if;
        end if;
        update pet_counts
        set available = available + changes.available, pending = pending + changes.pending, sold = sold + changes.sold
        where slot = (select slot from pet_counts where slot = pg_backend_pid() % 128 for update skip locked);
        if not found then
          update pet_counts
          set available = available + changes.available, pending = pending + changes.pending, sold = sold + changes.sold
          where slot = coalesce(
            (select slot from pet_counts limit 1 for update skip locked),
            pg_backend_pid() % 128);
        end if;
        return null;
      end $$`);
    await queryRunner.query(`
      create trigger "pets_count_insert" after insert on "pets"
        referencing new table as new_pets for each statement execute function "count_pets"()`);
    await queryRunner.query(`
      create trigger "pets_count_update" after update on "pets"
        referencing old table as old_pets new table as new_pets for each statement execute function "count_pets"()`);
    await queryRunner.query(`
      create trigger "pets_count_delete" after delete on "pets"
        referencing old table as old_pets for each statement execute function "count_pets"()`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop trigger "pets_count_insert" on "pets"`);
    await queryRunner.query(`drop trigger "pets_count_update" on "pets"`);
    await queryRunner.query(`drop trigger "pets_count_delete" on "pets"`);
    await queryRunner.query(`drop function "count_pets"()`);
    await queryRunner.query(`drop table "pet_counts"`);
  }
}
