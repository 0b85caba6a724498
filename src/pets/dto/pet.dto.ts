import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../common/paging/page-limit.js';
import { ApiInt64, arraySchema } from '../../http/operations/api-schemas.js';
import type { PetEntity } from '../pet.entity.js';
import { PET_STATUSES, type PetStatus } from '../pet-status.js';

@ApiSchema({ name: 'Pet', description: 'An animal of the catalogue.' })
export class PetDto {
  @ApiInt64('Unique identifier assigned by the service at creation; never used again.', 42)
  id!: bigint;

  @ApiProperty({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name!: string;

  @ApiInt64('Identifier of the category the animal belongs to.', 7)
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

export const PETS_SCHEMA = arraySchema('Pets', 'A page of animals.', PetDto, { maxItems: MAX_LIMIT });
