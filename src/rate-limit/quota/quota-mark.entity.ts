import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** That a key has used a share of its day. The first insert of a share counts, on whichever replica; its trigger writes the event. */
@Entity('quota_marks')
@Check('quota_marks_percent', 'percent in (80, 100)')
export class QuotaMarkEntity {
  @PrimaryColumn({ name: 'key_id', type: 'uuid', primaryKeyConstraintName: 'quota_marks_pkey' })
  keyId!: string;

  /** The UTC day. */
  @Index('quota_marks_day')
  @PrimaryColumn({ type: 'date', primaryKeyConstraintName: 'quota_marks_pkey' })
  day!: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'quota_marks_pkey' })
  percent!: number;

  @Column({ name: 'day_limit', type: 'integer' })
  dayLimit!: number;

  /** Requests of the day when the share was reached. */
  @Column({ type: 'integer' })
  used!: number;
}
