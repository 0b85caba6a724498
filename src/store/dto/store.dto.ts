import { ApiProperty, ApiSchema, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import type { SortOrder } from '../../platform/common/paging.js';
import { ApiInt64, UUID_SCHEMA } from '../../platform/http/operations/schemas.js';
import {
  IsInt64,
  IsName,
  QueryCursor,
  QueryLimit,
  QueryOrder,
} from '../../platform/http/requests/validation/rules.js';
import type { PetStatus } from '../../pets/pet-status.js';
import { ORDER_STATUSES, type OrderStatus } from '../order-status.js';
import type { OrderEntity } from '../order.entity.js';

const REFERENCE = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  nullable: true,
  description: "The partner's own number of the order, of 1 to 255 characters; null: none.",
  example: 'PO-7',
} as const;

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

  @IsOptional()
  @IsInt64()
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'Filters by animal. Takes `manage` access.',
  })
  petId?: bigint;

  @IsOptional()
  @IsName()
  @ApiPropertyOptional({ ...REFERENCE, nullable: false, description: 'Filters by reference.' })
  reference?: string;

  @QueryOrder()
  order?: SortOrder;

  @QueryCursor()
  cursor?: string;
}

const ApiTime = (description: string, example: string, nullable = false) =>
  ApiProperty({
    ...{ type: 'string', format: 'date-time', maxLength: 24, description, example },
    ...(nullable && { nullable }),
  });

@ApiSchema({ name: 'NewOrder', description: 'An order to place.' })
export class NewOrderDto {
  @IsInt64()
  @ApiInt64('The animal to reserve: it must be available.', 1)
  petId!: bigint;

  @IsOptional()
  @IsName(', or null')
  @ApiPropertyOptional(REFERENCE)
  reference?: string | null;
}

@ApiSchema({ name: 'Order', description: 'The reservation of one animal by one API key.' })
export class OrderDto {
  @ApiInt64('Identifier of the order.', 7)
  id!: bigint;

  @ApiInt64('The ordered animal.', 42)
  petId!: bigint;

  @ApiProperty({ ...UUID_SCHEMA, description: 'The id of the key that placed the order.' })
  keyId!: string;

  @ApiProperty(REFERENCE)
  reference!: string | null;

  @ApiProperty({
    enum: ORDER_STATUSES,
    enumName: 'OrderStatus',
    enumSchema: { description: 'The state of an order.' },
    description:
      'placed, then approved, then delivered; cancelled from either of the first two; expired when it was not approved in time.',
  })
  status!: OrderStatus;

  @ApiTime(
    'When the order expires if nobody approves it (RFC 3339, UTC). Null: it never expires, or its status is no longer `placed`.',
    '2026-11-21T12:00:00.000Z',
    true,
  )
  expiresAt!: Date | null;

  @ApiTime('When the order was placed (RFC 3339, UTC).', '2026-11-20T12:00:00.000Z')
  createdAt!: Date;

  @ApiTime('When the status last changed (RFC 3339, UTC).', '2026-11-20T12:05:00.000Z')
  updatedAt!: Date;

  static from(order: OrderEntity): OrderDto {
    const { id, petId, keyId, reference, status, expiresAt, createdAt, updatedAt } = order;
    return { id, petId, keyId, reference, status, expiresAt, createdAt, updatedAt };
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
