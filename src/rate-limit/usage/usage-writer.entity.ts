import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A process that writes usage, and the last batch that it wrote: a batch and its number are one transaction. */
@Entity('usage_writers')
export class UsageWriterEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'usage_writers_pkey' })
  id!: string;

  @Column({ type: 'bigint' })
  batch!: bigint;

  @Index('usage_writers_written_at')
  @Column({ name: 'written_at', type: 'timestamptz', default: () => 'now()' })
  writtenAt!: Date;
}
