import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../common/paging/page-limit.js';
import { ApiInt64, arraySchema } from '../../http/operations/api-schemas.js';
import { IsInt64, IsName, IsOneOf, Optional } from '../../http/requests/validation/rules.js';
import type { PetEntity } from '../pet.entity.js';
import { DEFAULT_STATUS, PET_STATUSES, type PetStatus } from '../pet-status.js';

const NAME = { minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' };
const CATEGORY = 'Identifier of the category the animal belongs to';
const STATUS = { enum: PET_STATUSES, enumName: 'PetStatus' };

@ApiSchema({ name: 'NewPet', description: 'An animal to add.' })
export class NewPetDto {
  @IsName()
  @ApiProperty(NAME)
  name!: string;

  @IsInt64()
  @ApiInt64(`${CATEGORY}: any int64, not checked for existence.`, 7)
  categoryId!: bigint;

  @Optional()
  @IsOneOf(PET_STATUSES)
  @ApiPropertyOptional({
    ...STATUS,
    enumSchema: { description: 'Whether an animal is available.' },
    default: DEFAULT_STATUS,
    description: `One of the PetStatus values; ${DEFAULT_STATUS} when omitted.`,
  })
  status?: PetStatus;
}

@ApiSchema({ name: 'PetUpdate', description: 'Changes to an animal: at least one field.' })
export class PetUpdateDto {
  @Optional()
  @IsName()
  @ApiPropertyOptional(NAME)
  name?: string;

  @Optional()
  @IsInt64()
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: `${CATEGORY}: any int64, not checked for existence.`,
    example: 7,
  })
  categoryId?: bigint;

  @Optional()
  @IsOneOf(PET_STATUSES)
  @ApiPropertyOptional({
    ...STATUS,
    description: 'From available to pending or sold, from pending to available or sold; sold is final.',
  })
  status?: PetStatus;
}

@ApiSchema({ name: 'Pet', description: 'An animal of the catalogue.' })
export class PetDto {
  @ApiInt64('Unique identifier assigned by the service at creation; never used again.', 42)
  id!: bigint;

  @ApiProperty(NAME)
  name!: string;

  @ApiInt64(`${CATEGORY}.`, 7)
  categoryId!: bigint;

  @ApiProperty({ ...STATUS, description: 'Whether the animal is available.' })
  status!: PetStatus;

  /** The members in the order in which PostgreSQL writes them in lists (list-pets.statement.ts). */
  static of({ id, name, categoryId, status }: PetEntity): PetDto {
    return { id, name, categoryId, status };
  }
}

export const PETS_SCHEMA = arraySchema('Pets', 'A page of animals.', PetDto, { maxItems: MAX_LIMIT });
