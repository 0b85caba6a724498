import { Check, Column, Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import type { DisabledReason } from '../events/dto/events.dto.js';
import type { EventType } from '../events/event-types.js';
import type { AttemptError } from './sending/outcome.js';

export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** A place in the feed of events and an address. */
@Entity('webhooks')
@Check('webhooks_url', `char_length(url) between 1 and 2048`)
@Check('webhooks_types', `cardinality(types) between 1 and 20`)
@Check('webhooks_status', `status in ('active', 'disabled')`)
@Check('webhooks_disabled_reason', `disabled_reason in ('gone', 'failing', 'key', 'caller')`)
@Check('webhooks_disabled', `(status = 'disabled') = (disabled_reason is not null)`)
@Check('webhooks_old_secret', `(old_secret is null) = (old_secret_ends_at is null)`)
@Index('webhooks_by_key', ['keyId', 'number'])
export class WebhookEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'webhooks_pkey' })
  id!: string;

  /** The order of webhooks in lists: that of their creation. */
  @Index('webhooks_number', { unique: true })
  @Column({ type: 'bigint', generatedIdentity: 'ALWAYS', update: false })
  // The type of the decorator names identities for primary keys only.
  @Generated('identity' as 'increment')
  number!: bigint;

  /** The API key whose webhook it is. */
  @Column({ name: 'key_id', type: 'uuid' })
  keyId!: string;

  @Column({ type: 'text' })
  url!: string;

  /** null: all that the key sees. */
  @Column({ type: 'text', array: true, nullable: true })
  types!: EventType[] | null;

  @Column({ type: 'text', default: 'active' })
  status!: WebhookStatus;

  @Column({ name: 'disabled_reason', type: 'text', nullable: true })
  disabledReason!: DisabledReason | null;

  /** As SecretBox keeps it. */
  @Column({ type: 'text' })
  secret!: string;

  /** The secret before the last rotation. */
  @Column({ name: 'old_secret', type: 'text', nullable: true })
  oldSecret!: string | null;

  @Column({ name: 'old_secret_ends_at', type: 'timestamptz', nullable: true })
  oldSecretEndsAt!: Date | null;

  /** The last event that is delivered or passed. */
  @Column({ type: 'bigint' })
  position!: bigint;

  /** What a cursor of this position has beside it. */
  @Column({ name: 'position_bits', type: 'bigint' })
  positionBits!: bigint;

  /** Events were removed from the feed before this webhook got them. */
  @Column({ type: 'boolean', default: false })
  missed!: boolean;

  /** Failed attempts since the last success. */
  @Column({ type: 'integer', default: 0 })
  failures!: number;

  @Column({ name: 'failing_since', type: 'timestamptz', nullable: true })
  failingSince!: Date | null;

  @Column({ name: 'last_attempt_at', type: 'timestamptz', nullable: true })
  lastAttemptAt!: Date | null;

  /** The HTTP status of the last answer; null: there was none. */
  @Column({ name: 'last_status', type: 'integer', nullable: true })
  lastStatus!: number | null;

  @Column({ name: 'last_error', type: 'text', nullable: true })
  lastError!: AttemptError | null;

  /** Not before this moment; null: at once. */
  @Column({ name: 'next_attempt_at', type: 'timestamptz', nullable: true })
  nextAttemptAt!: Date | null;

  /** The turn of a replica that works on it; null: none does. */
  @Column({ type: 'uuid', nullable: true })
  lease!: string | null;

  /** When the turn ends unless it is prolonged, or when the last one ended. */
  @Column({ name: 'lease_ends_at', type: 'timestamptz', nullable: true })
  leaseEndsAt!: Date | null;

  /** A test runs at most until then. */
  @Column({ name: 'test_ends_at', type: 'timestamptz', nullable: true })
  testEndsAt!: Date | null;

  /** Who made the last change: the id of a key or `service`. The event of the change shows it. */
  @Column({ name: 'changed_by', type: 'text', default: 'service' })
  changedBy!: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;
}
