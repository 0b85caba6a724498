import { ApiPropertyOptional } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/paging/page-limit.js';
import { QueryInteger } from '../../http/requests/validation/query-rules.js';
import { IsOneOf, Rule, Optional } from '../../http/requests/validation/rules.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-states.js';

export class ListOrdersQuery {
  @Optional()
  @QueryInteger(1, MAX_LIMIT)
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Maximum number of orders returned: the size of a page.',
  })
  limit?: number;

  @Optional()
  @IsOneOf(ORDER_STATUSES)
  @ApiPropertyOptional({
    enum: ORDER_STATUSES,
    enumName: 'OrderStatus',
    description: 'Filters by status: `placed` lists what waits for approval.',
  })
  status?: OrderStatus;

  @Optional()
  @Rule('a cursor from X-Next-Cursor or Link', (value) => typeof value === 'string')
  @ApiPropertyOptional({
    type: String,
    maxLength: 256,
    pattern: '^[A-Za-z0-9_-]+$',
    description:
      'Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters.',
  })
  cursor?: string;
}
