import { getSchemaPath } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../common/paging/page-limit.js';
import { OrderDto } from './order.dto.js';

/** A page of orders. Nest documents classes only, and this one is a bare array. */
export const ORDERS_SCHEMA = {
  name: 'Orders',
  schema: {
    type: 'array',
    description: 'A page of orders.',
    items: { $ref: getSchemaPath(OrderDto) },
    maxItems: MAX_LIMIT,
  },
  reference: { $ref: '#/components/schemas/Orders' },
} as const;
