import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

export type KeyEventKind = 'created' | 'revoked' | 'plan-changed' | 'banned' | 'unbanned';

/** What happened to a key, and when. Only ever added to; replicas read it to forget what they cached. */
@Entity('key_events')
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

  @Index('key_events_at')
  @Column({ type: 'timestamptz', default: () => 'now()' })
  at!: Date;
}
