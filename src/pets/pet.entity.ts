import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { entityColumns } from '../platform/database/columns-of.js';
import type { PetStatus } from './pet-status.js';

/** One animal. pets.repository.ts reads and writes it with named statements. Each list of list-pets.statement.ts has an index. */
@Entity('pets')
@Check('pets_name', `char_length(name) between 1 and 255`)
@Check('pets_status', `status in ('available', 'pending', 'sold')`)
@Check('pets_reserved_is_pending', `open_order_id is null or status = 'pending'`)
@Index('pets_by_status', ['status', 'id'])
@Index('pets_by_category', ['categoryId', 'id'])
@Index('pets_by_category_status', ['categoryId', 'status', 'id'])
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

/** What the service itself sets. Callers write and read every other column. */
const SET_BY_SERVICE = ['id', 'openOrderId', 'changedBy'] as const;

/** An animal to add. A column that is left out is null. */
export type NewPet = Pick<PetEntity, 'name' | 'categoryId' | 'status'> &
  Partial<Omit<PetEntity, (typeof SET_BY_SERVICE)[number]>>;

/** The columns that callers write and read, in the order of the entity, which is that of PetDto. */
export const PET_COLUMNS = entityColumns(PetEntity).filter(
  ({ property }) => !SET_BY_SERVICE.some((name) => name === property),
);

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
