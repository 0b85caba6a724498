import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { PetStatus } from './pet.js';

/**
 * One animal. Reading goes through pets.repository.ts; this class is the schema's description, which
 * `npm run migration:check` holds against the migrations. The indexes TypeORM cannot describe (on
 * `(id + 0)`, docs/decisions) are named here so that it leaves them alone.
 */
@Entity('pets')
@Check('pets_status', `status in ('available', 'pending', 'sold')`)
@Index('pets_status_id', { synchronize: false })
@Index('pets_category_id', { synchronize: false })
@Index('pets_category_status_id', { synchronize: false })
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
}
