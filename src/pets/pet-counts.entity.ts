import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The number of animals by status, spread over slots: triggers on `pets` change one slot in the transaction of each statement
 * (migration CreatePetCounts), and the sum of all slots is exact. Nothing else writes the table.
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
