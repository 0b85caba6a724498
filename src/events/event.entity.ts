import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { EventType } from './event-types.js';

/**
 * The events of one statement, type and key. Triggers write it in the transaction of the change (migration CreateEvents); the settler gives
 * it a position afterwards.
 */
@Entity('events')
@Index('events_position', ['position'], { unique: true, where: 'position is not null' })
@Index('events_unsettled', ['id'], { where: 'coalesce(position, 0) <= 0' })
@Check('events_size', 'size >= 1 and size = cardinality(actors) and size = cardinality(data)')
export class EventEntity {
  /** In the order of the changes of one animal or order, not in that of commits. */
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'events_pkey',
  })
  id!: bigint;

  /** The place of the last event of this row in the feed; null until the transaction is committed and settled. */
  @Column({ type: 'bigint', nullable: true })
  position!: bigint | null;

  /** The number of events. */
  @Column({ type: 'integer' })
  size!: number;

  @Column({ type: 'text' })
  type!: EventType;

  /** The key whose order, quota, ban or webhook it is; null: everybody may see it. */
  @Column({ name: 'key_id', type: 'uuid', nullable: true })
  keyId!: string | null;

  /** Who made each change: the id of a key, `command` or `service`. */
  @Column({ type: 'text', array: true })
  actors!: string[];

  /** The JSON of each changed row, as PostgreSQL writes it. */
  @Column({ type: 'text', array: true })
  data!: string[];

  /** Random: the ids of the events derive from it, and a cursor recognizes the history that it belongs to. */
  @Column({ type: 'uuid' })
  mark!: string;

  @Column({ type: 'timestamptz', default: () => 'clock_timestamp()' })
  at!: Date;
}

/** One row: where the feed ends, and what retention has removed from its beginning. */
@Entity('event_feed')
@Check('event_feed_one', 'one')
export class EventFeedEntity {
  @PrimaryColumn({ type: 'boolean', default: true, primaryKeyConstraintName: 'event_feed_pkey' })
  one!: boolean;

  @Column({ name: 'last_position', type: 'bigint', default: 0 })
  lastPosition!: bigint;

  /** The mark of the last row with a position; null: there was none yet. */
  @Column({ name: 'last_mark', type: 'uuid', nullable: true })
  lastMark!: string | null;

  @Column({ name: 'removed_position', type: 'bigint', default: 0 })
  removedPosition!: bigint;

  @Column({ name: 'removed_mark', type: 'uuid', nullable: true })
  removedMark!: string | null;
}
