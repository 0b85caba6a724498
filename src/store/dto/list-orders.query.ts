import { ApiPropertyOptional } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/paging/page-limit.js';
import { QueryInteger } from '../../common/validation/query-rules.js';
import { Expect, IsOneOf, MayBeAbsent } from '../../common/validation/rules.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-states.js';

export class ListOrdersQuery {
  @MayBeAbsent()
  @QueryInteger(1, MAX_LIMIT)
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Maximum number of orders returned.',
  })
  limit?: number;

  @MayBeAbsent()
  @IsOneOf(ORDER_STATUSES)
  @ApiPropertyOptional({
    enum: ORDER_STATUSES,
    enumName: 'OrderStatus',
    description: 'Filters by status.',
  })
  status?: OrderStatus;

  @MayBeAbsent()
  @Expect('a cursor from X-Next-Cursor or Link', (value) => typeof value === 'string')
  @ApiPropertyOptional({
    type: String,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'Where the page starts: the X-Next-Cursor of the page before, with the same filters.',
  })
  cursor?: string;
}
