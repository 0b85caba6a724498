import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many requests of a key passed and were refused on one UTC day. */
@Entity('usage_days')
export class UsageDayEntity {
  @PrimaryColumn({ name: 'key_id', type: 'uuid', primaryKeyConstraintName: 'usage_days_pkey' })
  keyId!: string;

  @PrimaryColumn({ type: 'date', primaryKeyConstraintName: 'usage_days_pkey' })
  day!: string;

  @Column({ type: 'bigint' })
  admitted!: bigint;

  @Column({ type: 'bigint' })
  refused!: bigint;
}
