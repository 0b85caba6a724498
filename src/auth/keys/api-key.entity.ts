import { Check, Column, Entity, Generated, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { Access } from '../access.js';
import type { Plan } from '../plans.js';
import type { KeyEventChanges, KeyEventKind } from './key-event-kinds.js';

/** One API key. Its secrets are rows of their own (KeySecretEntity). */
@Entity('api_keys')
@Check('api_keys_name', `char_length(name) between 1 and 255`)
@Check('api_keys_reference', `char_length(reference) between 1 and 255`)
@Check('api_keys_plan', `plan in ('free', 'pro', 'business', 'enterprise')`)
@Check('api_keys_access', `access in ('read', 'order', 'manage', 'admin')`)
@Check('api_keys_limits', `per_minute >= 1 and per_day >= 1`)
@Check(
  'api_keys_limits_with_enterprise',
  `(plan = 'enterprise') = (per_minute is not null) and (per_minute is null) = (per_day is null)`,
)
@Index('api_keys_by_plan', ['plan', 'number'])
@Index('api_keys_by_access', ['access', 'number'])
@Index('api_keys_by_reference', ['reference', 'number'])
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'api_keys_pkey' })
  id!: string;

  /** The order of keys in lists: that of their creation. */
  @Index('api_keys_number', { unique: true })
  @Column({ type: 'bigint', generatedIdentity: 'ALWAYS', update: false })
  // The type of the decorator names identities for primary keys only.
  @Generated('identity' as 'increment')
  number!: bigint;

  @Column({ type: 'text' })
  name!: string;

  /** The operator's own id of the holder. */
  @Column({ type: 'text', nullable: true })
  reference!: string | null;

  /** One of the names in plans.ts, which holds the numbers. */
  @Column({ type: 'text' })
  plan!: Plan;

  /** Enterprise only. */
  @Column({ name: 'per_minute', type: 'integer', nullable: true })
  perMinute!: number | null;

  /** Enterprise only. */
  @Column({ name: 'per_day', type: 'integer', nullable: true })
  perDay!: number | null;

  @Column({ type: 'text', default: 'read' })
  access!: Access;

  /** How the newest secret begins. */
  @Column({ type: 'text' })
  prefix!: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Index('api_keys_expires_at')
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Index('api_keys_revoked_at')
  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;

  /** The end of the last ban, in the past or the future. */
  @Index('api_keys_banned_until')
  @Column({ name: 'banned_until', type: 'timestamptz', nullable: true })
  bannedUntil!: Date | null;

  /** The duration of the last ban; the next may last twice as long. */
  @Column({ name: 'ban_duration_ms', type: 'integer', nullable: true })
  banDurationMs!: number | null;

  /** Refusals and bans from before this moment no longer count. */
  @Column({ name: 'penalties_reset_at', type: 'timestamptz', nullable: true })
  penaltiesResetAt!: Date | null;
}

/** What was done to a key, when and by whom. Rows are only added. */
@Entity('key_events')
@Check('key_events_kind', `kind in ('created', 'updated', 'rotated', 'revoked', 'banned', 'unbanned')`)
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

  /** The id of the key that did it, `command` or `service`. */
  @Column({ type: 'text' })
  actor!: string;

  @Column({ type: 'jsonb', default: {} })
  changes!: KeyEventChanges;

  /** Not now(), the begin of the transaction, before the wait for the row of the key. */
  @Index('key_events_at')
  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  at!: Date;
}
