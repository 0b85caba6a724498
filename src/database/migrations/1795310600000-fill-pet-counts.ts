import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the animals from before the triggers of CreatePetCounts, in a transaction of its own. The statement reads one
 * snapshot: it counts all animals and subtracts those that the triggers have counted. So every animal counts once, and writers do
 * not wait.
 */
export class FillPetCounts1795310600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      insert into "pet_counts" ("slot", "available", "pending", "sold")
      select -1, pets.available - counted.available, pets.pending - counted.pending, pets.sold - counted.sold
      from (
        select count(*) filter (where status = 'available') as available,
          count(*) filter (where status = 'pending') as pending,
          count(*) filter (where status = 'sold') as sold
        from "pets"
      ) pets, (
        select sum(available) as available, sum(pending) as pending, sum(sold) as sold from "pet_counts"
      ) counted`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`delete from "pet_counts" where "slot" = -1`);
  }
}
