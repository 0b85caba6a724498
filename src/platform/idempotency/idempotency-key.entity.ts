import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The response to the first request with an Idempotency-Key of an API key. */
@Entity('idempotency_keys')
@Check('idempotency_keys_key', `idempotency_key ~ '^[ -~]{1,255}$'`)
@Check('idempotency_keys_fingerprint', `octet_length(fingerprint) = 32`)
@Check('idempotency_keys_status', `status in (200, 201)`)
@Check('idempotency_keys_location', `location ~ '^[!-~]+$'`)
export class IdempotencyKeyEntity {
  @PrimaryColumn({ name: 'key_id', type: 'uuid', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  keyId!: string;

  @PrimaryColumn({
    name: 'idempotency_key',
    type: 'text',
    primaryKeyConstraintName: 'idempotency_keys_pkey',
  })
  idempotencyKey!: string;

  /** SHA-256 of method, path, query and body. */
  @Column({ type: 'bytea' })
  fingerprint!: Buffer;

  @Column({ type: 'integer' })
  status!: number;

  /** JSON, byte for byte. */
  @Column({ type: 'text' })
  body!: string;

  @Column({ type: 'text', nullable: true })
  location!: string | null;

  @Index('idempotency_keys_created_at')
  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;
}
