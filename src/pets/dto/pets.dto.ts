import { ApiProperty, ApiPropertyOptional, ApiSchema, IntersectionType, PartialType } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { SortOrder } from '../../platform/common/paging.js';
import { ApiInt64 } from '../../platform/http/operations/schemas.js';
import {
  BodyList,
  IsInt64,
  IsName,
  QueryCursor,
  QueryInt64List,
  QueryLimit,
  QueryOrder,
} from '../../platform/http/requests/validation/rules.js';
import { DEFAULT_STATUS, PET_STATUSES, type PetStatus } from '../pet-status.js';
import { PET_COLUMNS, type PetEntity } from '../pet.entity.js';

const MAX_IDS = 100;

export class ListPetsQuery {
  @QueryLimit('animals')
  limit?: number;

  @IsOptional()
  @IsIn(PET_STATUSES)
  @ApiPropertyOptional({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    description: 'Filters by availability status: `sold` lists what is sold.',
  })
  status?: PetStatus;

  @IsOptional()
  @IsInt64()
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'Filters by category, for example `7`. Experimental.',
  })
  categoryId?: bigint;

  @IsOptional()
  @QueryInt64List(MAX_IDS)
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', format: 'int64' },
    minItems: 1,
    maxItems: MAX_IDS,
    description:
      'Only the animals with these ids, separated by commas: `1,2,3`. The form `ids=1&ids=2` is accepted too, and every id counts once. ' +
      'Ids that no animal has are left out. With exactly one id the `ETag` is that of the animal, which `If-Match` accepts.',
  })
  ids?: bigint[];

  @QueryOrder()
  order?: SortOrder;

  @QueryCursor()
  cursor?: string;
}

const STATUS = { enum: PET_STATUSES, enumName: 'PetStatus' };

/** What callers write and read of an animal, but its status, for which each has rules of its own. */
class PetFields {
  @IsName()
  @ApiProperty({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name!: string;

  @IsInt64()
  @ApiInt64('Identifier of the category the animal belongs to: any int64, not checked for existence.', 7)
  categoryId!: bigint;
}

@ApiSchema({ name: 'NewPet', description: 'An animal to add.' })
export class NewPetDto extends PetFields {
  @IsOptional()
  @IsIn(PET_STATUSES)
  @ApiPropertyOptional({
    ...STATUS,
    enumSchema: { description: 'Whether an animal is available.' },
    default: DEFAULT_STATUS,
    description: `One of the PetStatus values; ${DEFAULT_STATUS} when omitted.`,
  })
  status?: PetStatus;
}

/** How many animals one request may add. */
export const MAX_NEW_PETS = 100;

@ApiSchema({ name: 'NewPets', description: 'Animals to add together.' })
export class NewPetsDto {
  @BodyList(NewPetDto, 'animals', MAX_NEW_PETS)
  pets!: NewPetDto[];
}

@ApiSchema({ name: 'PetUpdate', description: 'Changes to an animal: at least one field.' })
export class PetUpdateDto extends PartialType(PetFields) {
  @IsOptional()
  @IsIn(PET_STATUSES)
  @ApiPropertyOptional({
    ...STATUS,
    description: 'From available to pending or sold, from pending to available or sold; sold is final.',
  })
  status?: PetStatus;
}

class PetId {
  @ApiInt64('Unique identifier assigned by the service at creation; never used again.', 42)
  id!: bigint;
}

const MEMBERS = ['id', ...PET_COLUMNS.map(({ property }) => property)] as (keyof PetEntity)[];

@ApiSchema({ name: 'Pet', description: 'An animal of the catalogue.' })
export class PetDto extends IntersectionType(PetId, PetFields) {
  @ApiProperty({ ...STATUS, description: 'Whether the animal is available.' })
  status!: PetStatus;

  /** The members in the order in which PostgreSQL writes them in lists (list-pets.statement.ts). */
  static from(pet: PetEntity): PetDto {
    const members: Partial<Record<keyof PetEntity, unknown>> = {};
    for (const member of MEMBERS) members[member] = pet[member];
    return members as PetDto;
  }
}
