import { ApiPropertyOptional } from '@nestjs/swagger';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/paging/page-limit.js';
import { QueryCursor, QueryInteger } from '../../http/requests/validation/query-rules.js';
import { IsOneOf, Optional } from '../../http/requests/validation/rules.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-states.js';

export class ListOrdersQuery {
  @QueryInteger(1, MAX_LIMIT, {
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

  @QueryCursor()
  cursor?: string;
}
