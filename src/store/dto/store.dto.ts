import { ApiProperty, ApiSchema, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import type { SortOrder } from '../../platform/common/paging.js';
import { ApiInt64, UUID_SCHEMA } from '../../platform/http/operations/schemas.js';
import {
  IsInt64,
  QueryCursor,
  QueryLimit,
  QueryOrder,
} from '../../platform/http/requests/validation/rules.js';
import type { PetStatus } from '../../pets/pet-status.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-states.js';
import type { OrderEntity } from '../order.entity.js';

export class ListOrdersQuery {
  @QueryLimit('orders')
  limit?: number;

  @IsOptional()
  @IsIn(ORDER_STATUSES)
  @ApiPropertyOptional({
    enum: ORDER_STATUSES,
    enumName: 'OrderStatus',
    description: 'Filters by status: `placed` lists what waits for approval.',
  })
  status?: OrderStatus;

  @IsOptional()
  @IsUUID('loose')
  @ApiPropertyOptional({
    ...UUID_SCHEMA,
    description: 'Filters by the key that placed the order. Takes `manage` access.',
  })
  keyId?: string;

  @QueryOrder()
  order?: SortOrder;

  @QueryCursor()
  cursor?: string;
}

const ApiTime = (description: string, example: string) =>
  ApiProperty({ type: 'string', format: 'date-time', maxLength: 24, description, example });

@ApiSchema({ name: 'NewOrder', description: 'An order to place.' })
export class NewOrderDto {
  @IsInt64()
  @ApiInt64('The animal to reserve: it must be available.', 42)
  petId!: bigint;
}

@ApiSchema({ name: 'Order', description: 'The reservation of one animal by one API key.' })
export class OrderDto {
  @ApiInt64('Identifier of the order.', 7)
  id!: bigint;

  @ApiInt64('The ordered animal.', 42)
  petId!: bigint;

  @ApiProperty({ ...UUID_SCHEMA, description: 'The id of the key that placed the order.' })
  keyId!: string;

  @ApiProperty({
    enum: ORDER_STATUSES,
    enumName: 'OrderStatus',
    enumSchema: { description: 'The state of an order.' },
    description: 'placed, then approved, then delivered; cancelled from either of the first two.',
  })
  status!: OrderStatus;

  @ApiTime('When the order was placed (RFC 3339, UTC).', '2026-11-20T12:00:00.000Z')
  createdAt!: Date;

  @ApiTime('When the status last changed (RFC 3339, UTC).', '2026-11-20T12:05:00.000Z')
  updatedAt!: Date;

  static of({ id, petId, keyId, status, createdAt, updatedAt }: OrderEntity): OrderDto {
    return { id, petId, keyId, status, createdAt, updatedAt };
  }
}

@ApiSchema({ name: 'Inventory', description: 'The number of animals of every status.' })
export class InventoryDto implements Record<PetStatus, bigint> {
  @ApiInt64('Available animals.', 120, { minimum: 0 })
  available!: bigint;

  @ApiInt64('Reserved animals.', 4, { minimum: 0 })
  pending!: bigint;

  @ApiInt64('Sold animals.', 1_880, { minimum: 0 })
  sold!: bigint;
}
