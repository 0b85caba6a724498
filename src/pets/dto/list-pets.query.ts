import { ApiPropertyOptional } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/paging/page-limit.js';
import {
  QueryCursor,
  QueryInt64,
  QueryInt64List,
  QueryInteger,
} from '../../http/requests/validation/query-rules.js';
import { IsOneOf, Optional } from '../../http/requests/validation/rules.js';
import { PET_STATUSES, type PetStatus } from '../pet-status.js';

const MAX_IDS = 100;

export class ListPetsQuery {
  @QueryInteger(1, MAX_LIMIT, {
    default: DEFAULT_LIMIT,
    description: 'Maximum number of animals returned: the size of a page.',
  })
  limit?: number;

  @Optional()
  @IsOneOf(PET_STATUSES)
  @ApiPropertyOptional({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    description: 'Filters by availability status: `sold` lists what is sold.',
  })
  status?: PetStatus;

  @Optional()
  @QueryInt64()
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'Filters by category, for example `7`. Experimental.',
  })
  categoryId?: bigint;

  @Optional()
  @QueryInt64List(MAX_IDS)
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', format: 'int64' },
    minItems: 1,
    maxItems: MAX_IDS,
    description:
      'Only the animals with these ids, separated by commas: `1,2,3`. Ids that no animal has are left out. Experimental.',
  })
  ids?: bigint[];

  @QueryCursor()
  cursor?: string;
}
