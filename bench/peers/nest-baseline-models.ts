import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

const STATUSES = ['available', 'pending', 'sold'];

@Entity('pets')
export class Pet {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column()
  name!: string;

  @Column({ name: 'category_id', type: 'bigint' })
  categoryId!: number;

  @Column()
  status!: string;
}

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'per_minute', type: 'integer', nullable: true })
  perMinute!: number | null;

  @Column({ name: 'per_day', type: 'integer', nullable: true })
  perDay!: number | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt!: Date | null;
}

@Entity('key_secrets')
export class KeySecret {
  @PrimaryColumn({ type: 'bytea' })
  hash!: Buffer;

  @ManyToOne(() => ApiKey)
  @JoinColumn({ name: 'key_id' })
  key!: ApiKey;
}

export class NewPet {
  @IsString()
  @Length(1, 255)
  name!: string;

  @IsInt()
  categoryId!: number;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
}

export class ListPets {
  @IsOptional()
  @IsIn(STATUSES)
  status?: string;

  @IsOptional()
  @Type(() => Number)
  @IsInt()
  categoryId?: number;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @Type(() => Number)
  @IsInt()
  after = 0;
}
