import { ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../common/paging/page-limit.js';
import type { OrderEntity } from '../order.entity.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-states.js';

@ApiSchema({ name: 'Order', description: 'The reservation of one animal by one API key.' })
export class OrderDto {
  @ApiProperty({ type: 'integer', format: 'int64', description: 'Identifier of the order.', example: 7 })
  id!: bigint;

  @ApiProperty({ type: 'integer', format: 'int64', description: 'The ordered animal.', example: 42 })
  petId!: bigint;

  @ApiProperty({
    enum: ORDER_STATUSES,
    enumName: 'OrderStatus',
    enumSchema: { description: 'The state of an order.' },
    description: 'placed, then approved, then delivered; cancelled from either of the first two.',
  })
  status!: OrderStatus;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    maxLength: 24,
    description: 'When the order was placed (RFC 3339, UTC).',
    example: '2026-11-20T12:00:00.000Z',
  })
  createdAt!: Date;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    maxLength: 24,
    description: 'When the status last changed (RFC 3339, UTC).',
    example: '2026-11-20T12:05:00.000Z',
  })
  updatedAt!: Date;

  static of({ id, petId, status, createdAt, updatedAt }: OrderEntity): OrderDto {
    return { id, petId, status, createdAt, updatedAt };
  }
}

/** A page of orders. Nest documents classes only, and a page is a bare array. */
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
