import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How much of a file has been added: a repeat of its import goes on there. One row a file, removed 30 days after its last batch. */
@Entity('pet_imports')
export class PetImportEntity {
  /** The SHA-256 of the file. */
  @PrimaryColumn({ name: 'file_digest', type: 'bytea', primaryKeyConstraintName: 'pet_imports_pkey' })
  fileDigest!: Buffer;

  /** How many animals of the file, from its beginning, are in the catalogue. */
  @Column({ type: 'bigint' })
  added!: bigint;

  @Column({ name: 'changed_at', type: 'timestamp with time zone', default: () => 'now()' })
  changedAt!: Date;
}
