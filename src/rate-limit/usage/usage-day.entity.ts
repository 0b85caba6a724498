import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The requests of a key on one UTC day. */
@Entity('usage_days')
@Check('usage_days_counts', `admitted >= deprecated and deprecated >= 0 and refused >= 0`)
@Index('usage_days_deprecated', ['keyId', 'day'], { where: 'deprecated > 0' })
export class UsageDayEntity {
  @PrimaryColumn({ name: 'key_id', type: 'uuid', primaryKeyConstraintName: 'usage_days_pkey' })
  keyId!: string;

  @Index('usage_days_day')
  @PrimaryColumn({ type: 'date', primaryKeyConstraintName: 'usage_days_pkey' })
  day!: string;

  @Column({ type: 'bigint' })
  admitted!: bigint;

  @Column({ type: 'bigint' })
  refused!: bigint;

  /** Calls of deprecated operations among the admitted. */
  @Column({ type: 'bigint', default: '0' })
  deprecated!: bigint;

  /** The newest request of the day, admitted or refused. */
  @Column({ name: 'last_used_at', type: 'timestamptz', default: () => 'now()' })
  lastUsedAt!: Date;
}
