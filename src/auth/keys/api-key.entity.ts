import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { Access } from '../../platform/common/access.js';
import type { Plan } from '../plans.js';

/** One API key. The row holds the SHA-256 of the secret and a prefix for display, never the secret. */
@Entity('api_keys')
@Check(
  'api_keys_limits_with_enterprise',
  `(plan = 'enterprise') = (per_minute is not null and per_day is not null)`,
)
@Check('api_keys_access', `access in ('read', 'order', 'manage', 'admin')`)
@Index('api_keys_created_at', ['createdAt', 'id'])
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  /** One of the names in plans.ts, which holds the numbers. */
  @Column({ type: 'text' })
  plan!: Plan;

  /** Enterprise only. */
  @Column({ name: 'per_minute', type: 'integer', nullable: true })
  perMinute!: number | null;

  /** Enterprise only. */
  @Column({ name: 'per_day', type: 'integer', nullable: true })
  perDay!: number | null;

  @Column({ type: 'text', default: 'manage' })
  access!: Access;

  @Column({ type: 'text' })
  prefix!: string;

  @Index('api_keys_secret_hash', { unique: true })
  @Column({ name: 'secret_hash', type: 'bytea' })
  secretHash!: Buffer;

  /** The secret before the last rotation; valid until oldSecretEndsAt. */
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

  /** Written by releases up to 1.0; KeyLastUsedEntity replaces it. */
  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt!: Date | null;

  /** The end of the last ban, in the past or the future. */
  @Column({ name: 'banned_until', type: 'timestamptz', nullable: true })
  bannedUntil!: Date | null;

  /** The duration of the last ban; the next may last twice as long. */
  @Column({ name: 'ban_duration_ms', type: 'integer', nullable: true })
  banDurationMs!: number | null;

  /** Refusals and bans from before this moment no longer count. */
  @Column({ name: 'penalties_reset_at', type: 'timestamptz', nullable: true })
  penaltiesResetAt!: Date | null;
}

/** When a key was last used. A table of its own, because a change of a row of api_keys rewrites its indexes. */
@Entity('key_last_used')
export class KeyLastUsedEntity {
  @PrimaryColumn({ name: 'key_id', type: 'uuid', primaryKeyConstraintName: 'key_last_used_pkey' })
  keyId!: string;

  @Column({ type: 'timestamptz' })
  minute!: Date;
}

export type KeyEventKind = 'created' | 'rotated' | 'revoked' | 'plan-changed' | 'banned' | 'unbanned';

/** What happened to a key, and when. Rows are only added; replicas read them to drop what they cached. */
@Entity('key_events')
@Index('key_events_key_id', ['keyId', 'id'])
export class KeyEventEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'key_events_pkey',
  })
  id!: bigint;

  @Column({ name: 'key_id', type: 'uuid' })
  keyId!: string;

  @Column({ type: 'text' })
  kind!: KeyEventKind;

  /** For people, for example the new plan. */
  @Column({ type: 'text', nullable: true })
  detail!: string | null;

  @Index('key_events_at')
  @Column({ type: 'timestamptz', default: () => 'now()' })
  at!: Date;
}
