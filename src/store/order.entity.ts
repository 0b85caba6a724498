import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { OrderStatus } from './order-states.js';

/** The reservation of one animal. */
@Entity('orders')
@Check('orders_status', `status in ('placed', 'approved', 'delivered', 'cancelled')`)
@Index('orders_by_key', ['keyId', 'id'])
@Index('orders_by_key_status', ['keyId', 'status', 'id'])
// The store lists the orders of all keys: by the primary key, or by status.
@Index('orders_by_status', ['status', 'id'])
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

  @Column({ type: 'text' })
  status!: OrderStatus;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt!: Date;

  /** Who made the last change: the id of a key, `command` or `service`. The events of the change show it. */
  @Column({ name: 'changed_by', type: 'text', default: 'service' })
  changedBy!: string;
}
