import type { MigrationInterface, QueryRunner } from 'typeorm';

const SLOTS = [0, 1, 2, 3];

/**
 * Spreads idempotency keys over four tables by the UTC day, so that an expired day is truncated whole (docs/decisions/0054). The
 * previous release reads and writes the parent as before: its reads include the slots, and a trigger routes its writes. Rows
 * from before stay in the parent until they expire.
 */
export class PartitionIdempotencyKeys1795314600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const slot of SLOTS) {
      await queryRunner.query(`
        create table "idempotency_keys_${slot}" (
          constraint "idempotency_keys_${slot}_pkey" primary key ("key_id", "idempotency_key")
        ) inherits ("idempotency_keys")`);
    }
    // The writer holds the key's lock, so that the key has one row in all slots together.
    await queryRunner.query(`
      create function "route_idempotency_key"() returns trigger language plpgsql as $$
      begin
        delete from idempotency_keys where key_id = new.key_id and idempotency_key = new.idempotency_key;
        case floor(extract(epoch from new.created_at) / 86400)::bigint % 4
          when 0 then insert into idempotency_keys_0 values (new.*);
          when 1 then insert into idempotency_keys_1 values (new.*);
          when 2 then insert into idempotency_keys_2 values (new.*);
          else insert into idempotency_keys_3 values (new.*);
        end case;
        return null;
      end $$`);
    // Last, because it locks the table for writers.
    await queryRunner.query(`
      create trigger "idempotency_keys_route" before insert on "idempotency_keys"
        for each row execute function "route_idempotency_key"()`);
    // The slot of the day before yesterday is used again the day after tomorrow. An hour's margin covers transactions that
    // began before midnight. A backup holds locks for long; writers wait for 100 ms at most.
    await queryRunner.query(`
      create function "truncate_expired_idempotency_keys"() returns void language plpgsql
        set lock_timeout = '100ms' as $$
      declare
        slot text := 'idempotency_keys_' || floor((extract(epoch from now()) - 3600) / 86400 - 2)::bigint % 4;
        has_rows boolean;
      begin
        execute format('select exists (select from %I)', slot) into has_rows;
        if has_rows then
          execute format('truncate %I', slot);
        end if;
      exception
        when lock_not_available then null;
      end $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop function "truncate_expired_idempotency_keys"()`);
    await queryRunner.query(`drop trigger "idempotency_keys_route" on "idempotency_keys"`);
    await queryRunner.query(`drop function "route_idempotency_key"()`);
    for (const slot of SLOTS) {
      await queryRunner.query(`insert into "idempotency_keys" select * from "idempotency_keys_${slot}"`);
      await queryRunner.query(`drop table "idempotency_keys_${slot}"`);
    }
  }
}
