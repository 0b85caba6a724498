import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

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
