import { ApiPropertyOptional } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/paging/page-limit.js';
import { QueryInt64, QueryInt64List, QueryInteger } from '../../common/validation/query-rules.js';
import { Expect, IsOneOf, MayBeAbsent } from '../../common/validation/rules.js';
import { PET_STATUSES, type PetStatus } from '../pet.js';

const MAX_IDS = 100;

export class ListPetsQuery {
  @MayBeAbsent()
  @QueryInteger(1, MAX_LIMIT)
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Maximum number of animals returned.',
  })
  limit?: number;

  @MayBeAbsent()
  @IsOneOf(PET_STATUSES)
  @ApiPropertyOptional({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    description: 'Filters by availability status.',
  })
  status?: PetStatus;

  @MayBeAbsent()
  @QueryInt64()
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'Filters by category. Experimental.',
  })
  categoryId?: bigint;

  @MayBeAbsent()
  @QueryInt64List(MAX_IDS)
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', format: 'int64' },
    minItems: 1,
    maxItems: MAX_IDS,
    description: 'Only the animals with these ids, separated by commas. Experimental.',
  })
  ids?: bigint[];

  @MayBeAbsent()
  @Expect('a cursor from X-Next-Cursor or Link', (value) => typeof value === 'string')
  @ApiPropertyOptional({
    type: String,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'Where the page starts: the X-Next-Cursor of the page before, with the same filters.',
  })
  cursor?: string;
}
