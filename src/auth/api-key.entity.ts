import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Plan } from './plans.js';

/** One API key. The secret itself is not here: only its SHA-256, and a prefix to recognise it by. */
@Entity('api_keys')
@Check(
  'api_keys_limits_with_enterprise',
  `(plan = 'enterprise') = (per_minute is not null and per_day is not null)`,
)
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  /** A plain column: the plans' numbers are one table in plans.ts. */
  @Column({ type: 'text' })
  plan!: Plan;

  /** Enterprise only. */
  @Column({ name: 'per_minute', type: 'integer', nullable: true })
  perMinute!: number | null;

  /** Enterprise only. */
  @Column({ name: 'per_day', type: 'integer', nullable: true })
  perDay!: number | null;

  @Column({ name: 'read_only', type: 'boolean', default: false })
  readOnly!: boolean;

  @Column({ type: 'text' })
  prefix!: string;

  @Index('api_keys_secret_hash', { unique: true })
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash!: Buffer;

  /** The secret before the last rotation; good until oldSecretEndsAt. */
  @Index('api_keys_old_secret_hash', { unique: true })
  @Column({ name: 'old_secret_hash', type: 'bytea', nullable: true })
  oldSecretHash!: Buffer | null;

  @Column({ name: 'old_secret_ends_at', type: 'timestamptz', nullable: true })
  oldSecretEndsAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  /** The end of the last ban, past or to come. */
  @Column({ name: 'banned_until', type: 'timestamptz', nullable: true })
  bannedUntil!: Date | null;

  /** How long the last ban lasts, in milliseconds; the next may last twice as long. */
  @Column({ name: 'ban_lasted_ms', type: 'integer', nullable: true })
  banLastedMs!: number | null;

  /** Refusals and bans from before this moment count no more. */
  @Column({ name: 'forgiven_at', type: 'timestamptz', nullable: true })
  forgivenAt!: Date | null;
}
