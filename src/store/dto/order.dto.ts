import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Order } from '../order.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-states.js';

@ApiSchema({ name: 'Order', description: 'The reservation of one animal by one API key.' })
export class OrderDto implements Order {
  @ApiProperty({ type: 'integer', format: 'int64', description: 'Identifier of the order.', example: 7 })
  id!: bigint;

  @ApiProperty({ type: 'integer', format: 'int64', description: 'The animal that was ordered.', example: 42 })
  petId!: bigint;

  @ApiProperty({
    enum: ORDER_STATUSES,
    enumName: 'OrderStatus',
    enumSchema: { description: 'How far an order has come.' },
    description: 'placed, then approved, then delivered; cancelled from either of the first two.',
  })
  status!: OrderStatus;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it was placed (RFC 3339, UTC).',
    example: '2026-11-20T12:00:00.000Z',
  })
  createdAt!: Date;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When its status last changed (RFC 3339, UTC).',
    example: '2026-11-20T12:05:00.000Z',
  })
  updatedAt!: Date;
}
