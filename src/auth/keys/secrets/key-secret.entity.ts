import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A secret of a key: its SHA-256 and how it begins, never the secret. */
@Entity('key_secrets')
@Check('key_secrets_hash', `octet_length(hash) = 32`)
@Index('key_secrets_key_id', ['keyId', 'number'])
export class KeySecretEntity {
  /** The order of the secrets of a key: the newest has the highest. */
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'key_secrets_pkey',
  })
  number!: bigint;

  @Column({ name: 'key_id', type: 'uuid' })
  keyId!: string;

  @Index('key_secrets_by_hash', { unique: true })
  @Column({ type: 'bytea' })
  hash!: Buffer;

  /** The first characters, by which people recognise it. */
  @Index('key_secrets_by_prefix')
  @Column({ type: 'text' })
  prefix!: string;

  /** When a rotation ends it; null: it is the newest of its key. The end and the revocation of the key end it too. */
  @Column({ name: 'ends_at', type: 'timestamptz', nullable: true })
  endsAt!: Date | null;
}
