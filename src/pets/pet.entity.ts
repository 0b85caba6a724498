import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { PetStatus } from './pet-status.js';

/**
 * One animal. pets.repository.ts reads and writes it with named statements. TypeORM cannot describe indexes on expressions
 * (docs/decisions/0044), so they are declared by name only.
 */
@Entity('pets')
@Check('pets_name', `char_length(name) between 1 and 255`)
@Check('pets_status', `status in ('available', 'pending', 'sold')`)
@Check('pets_reserved_is_pending', `open_order_id is null or status = 'pending'`)
@Index('pets_status_id', { synchronize: false })
@Index('pets_by_category', { synchronize: false })
@Index('pets_by_category_status', { synchronize: false })
export class PetEntity {
  /** An int64 that is never used again. */
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pets_pkey',
  })
  id!: bigint;

  @Column({ type: 'text' })
  name!: string;

  /** An opaque reference: any int64. */
  @Column({ name: 'category_id', type: 'bigint' })
  categoryId!: bigint;

  @Column({ type: 'text' })
  status!: PetStatus;

  /** The open order that reserves the animal. It changes in the transaction of the order. */
  @Column({ name: 'open_order_id', type: 'bigint', nullable: true })
  openOrderId!: bigint | null;

  /** Who made the last change: the id of a key, `command` or `service`. The events of the change show it. */
  @Column({ name: 'changed_by', type: 'text', default: 'service' })
  changedBy!: string;
}

/** An animal to add: what the service itself sets is left out. */
export type NewPet = Omit<PetEntity, 'id' | 'openOrderId' | 'changedBy'>;

/** The columns that callers write and read. The type names each of them, so that no statement forgets one. */
export const PET_COLUMNS: Readonly<Record<keyof NewPet, string>> = {
  name: 'name',
  categoryId: 'category_id',
  status: 'status',
};

/**
 * The number of animals by status, spread over slots: triggers on `pets` change one slot in the transaction of each statement
 * (migration CreateSchema), and the sum of all slots is exact. Nothing else writes the table.
 */
@Entity('pet_counts')
export class PetCountsEntity {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pet_counts_pkey' })
  slot!: number;

  @Column({ type: 'bigint' })
  available!: bigint;

  @Column({ type: 'bigint' })
  pending!: bigint;

  @Column({ type: 'bigint' })
  sold!: bigint;
}
