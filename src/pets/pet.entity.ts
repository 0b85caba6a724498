import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { PetStatus } from './pet.js';

/**
 * One animal. Reading goes through pets.repository.ts; this class is the schema's description, which
 * `npm run migration:check` holds against the migrations. The indexes TypeORM cannot describe (on
 * expressions, docs/decisions/0044) are named here so that it leaves them alone.
 */
@Entity('pets')
@Check('pets_status', `status in ('available', 'pending', 'sold')`)
@Check('pets_reserved_is_pending', `open_order_id is null or status = 'pending'`)
@Index('pets_status_id', { synchronize: false })
@Index('pets_by_category', { synchronize: false })
@Index('pets_by_category_status', { synchronize: false })
export class PetEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pets_pkey',
  })
  id!: bigint;

  @Column({ type: 'text' })
  name!: string;

  @Column({ name: 'category_id', type: 'bigint' })
  categoryId!: bigint;

  @Column({ type: 'text' })
  status!: PetStatus;

  /** The order that reserves the animal; set and cleared with the order, in its transaction. */
  @Column({ name: 'open_order_id', type: 'bigint', nullable: true })
  openOrderId!: bigint | null;
}
