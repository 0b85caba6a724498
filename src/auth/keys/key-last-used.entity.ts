import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a key was last used. A table of its own, because a change of a row of api_keys rewrites its indexes. */
@Entity('key_last_used')
export class KeyLastUsedEntity {
  @PrimaryColumn({ name: 'key_id', type: 'uuid', primaryKeyConstraintName: 'key_last_used_pkey' })
  keyId!: string;

  @Column({ type: 'timestamptz' })
  minute!: Date;
}
