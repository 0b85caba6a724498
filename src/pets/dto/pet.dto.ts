import { ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../common/paging/page-limit.js';
import type { PetEntity } from '../pet.entity.js';
import { PET_STATUSES, type PetStatus } from '../pet-status.js';

@ApiSchema({ name: 'Pet', description: 'An animal of the catalogue.' })
export class PetDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Unique identifier assigned by the service at creation; never used again.',
    example: 42,
  })
  id!: bigint;

  @ApiProperty({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the category the animal belongs to.',
    example: 7,
  })
  categoryId!: bigint;

  @ApiProperty({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    description: 'Whether the animal is available.',
  })
  status!: PetStatus;

  /** The members in the order in which PostgreSQL writes them in lists (list-pets.statement.ts). */
  static of({ id, name, categoryId, status }: PetEntity): PetDto {
    return { id, name, categoryId, status };
  }
}

/** A page of animals. Nest documents classes only, and a page is a bare array. */
export const PETS_SCHEMA = {
  name: 'Pets',
  schema: {
    type: 'array',
    description: 'A page of animals.',
    items: { $ref: getSchemaPath(PetDto) },
    maxItems: MAX_LIMIT,
  },
  reference: { $ref: '#/components/schemas/Pets' },
} as const;
