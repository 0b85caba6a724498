import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { OrderStatus } from './order-status.js';

/** The reservation of one animal. */
@Entity('orders')
@Check('orders_status', `status in ('placed', 'approved', 'delivered', 'cancelled', 'expired')`)
@Check('orders_reference', `char_length(reference) between 1 and 255`)
@Check('orders_expires_at', `expires_at is null or status = 'placed'`)
@Index('orders_by_key', ['keyId', 'id'])
@Index('orders_by_key_status', ['keyId', 'status', 'id'])
// The store lists the orders of all keys: by the primary key, or by status.
@Index('orders_by_status', ['status', 'id'])
@Index('orders_by_pet', ['petId', 'id'])
@Index('orders_by_reference', ['reference', 'id'], { where: 'reference is not null' })
@Index('orders_by_key_reference', ['keyId', 'reference', 'id'], { where: 'reference is not null' })
export class OrderEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'orders_pkey',
  })
  id!: bigint;

  /** Not a foreign key, because a closed order outlives its animal. */
  @Column({ name: 'pet_id', type: 'bigint' })
  petId!: bigint;

  /** The API key that placed the order. */
  @Column({ name: 'key_id', type: 'uuid' })
  keyId!: string;

  /** The partner's own number. */
  @Column({ type: 'text', nullable: true })
  reference!: string | null;

  @Column({ type: 'text' })
  status!: OrderStatus;

  /** When a placed order expires; null: never, or it is no longer placed. */
  @Index('orders_due', { where: `status = 'placed'` })
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt!: Date;

  /** Who made the last change: the id of a key, `command` or `service`. The events of the change show it. */
  @Column({ name: 'changed_by', type: 'text', default: 'service' })
  changedBy!: string;
}
