import {
  applyDecorators,
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerKeyOf } from '../auth/caller.js';
import { Links } from '../common/http/links.js';
import { Operation, WRITING_ERRORS } from '../common/http/operation.decorator.js';
import { setNextPage } from '../common/http/paging-headers.js';
import { parseInt64 } from '../common/int64.js';
import { DEFAULT_LIMIT } from '../common/paging/page-limit.js';
import { ApiNoBody, NoBody } from '../common/validation/no-body.dto.js';
import { NoParameters } from '../common/validation/no-parameters.dto.js';
import { IdempotencyHeader } from '../idempotency/idempotency-header.js';
import { ApiIdempotencyKey, IdempotencyKey } from '../idempotency/idempotency-key.decorator.js';
import { IDEMPOTENCY_ERRORS } from '../idempotency/idempotency.errors.js';
import { Idempotency, type Success } from '../idempotency/idempotency.service.js';
import { ListOrdersQuery } from './dto/list-orders.query.js';
import { NewOrderDto } from './dto/new-order.dto.js';
import { OrderDto } from './dto/order.dto.js';
import { ORDERS_SCHEMA } from './dto/orders.schema.js';
import type { Order } from './order.js';
import type { OrderAction } from './order-states.js';
import { orderNotFound } from './orders.errors.js';
import { OrdersService } from './orders.service.js';

const PATH = 'store/orders';
const ORDER_ID = {
  name: 'orderId',
  description: 'The identifier of the order.',
  schema: { type: 'integer' as const, format: 'int64' },
  example: 7,
};

/** What approving, delivering and cancelling have in common: all but their handlers. */
const ActionOnOrder = (of: { id: string; action: OrderAction; summary: string; description: string }) =>
  applyDecorators(
    Post(`:orderId/${of.action}`),
    HttpCode(200),
    Operation({
      id: of.id,
      summary: of.summary,
      description: `${of.description} Takes no body, or an empty object.`,
      stability: 'beta',
      errors: [...WRITING_ERRORS, ...IDEMPOTENCY_ERRORS, 'order_not_found', 'invalid_status_transition'],
    }),
    ApiIdempotencyKey(),
    ApiParam(ORDER_ID),
    ApiNoBody(),
    ApiResponse({ status: 200, description: 'The order as it is now.', type: OrderDto }),
  );

@ApiTags('Store')
@Controller({ path: PATH, version: '1' })
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly links: Links,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  @Operation({
    id: 'listOrders',
    summary: 'List your orders.',
    description: 'The orders that this API key has placed: ascending by id, in pages as those of listPets.',
    stability: 'beta',
    errors: ['invalid_cursor'],
  })
  @ApiResponse({ status: 200, description: 'A page of orders.', schema: ORDERS_SCHEMA.reference })
  async listOrders(
    @Query() query: ListOrdersQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Order[]> {
    const { limit = DEFAULT_LIMIT, cursor, ...filter } = query;
    const { orders, nextCursor } = await this.orders.list(callerKeyOf(request).id, filter, limit, cursor);
    if (nextCursor !== undefined)
      setNextPage(reply, this.links, `/${PATH}`, { limit, ...filter }, nextCursor);
    return orders;
  }

  @Post()
  @HttpCode(201)
  @Operation({
    id: 'placeOrder',
    summary: 'Order an animal.',
    description:
      'Reserves an available animal: it is pending until the order ends. Of any number of orders at once for one ' +
      'animal exactly one wins.',
    stability: 'beta',
    errors: [...WRITING_ERRORS, ...IDEMPOTENCY_ERRORS, 'pet_not_found', 'pet_not_available'],
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: NewOrderDto })
  @ApiResponse({ status: 201, description: 'Order placed.', type: OrderDto })
  placeOrder(
    @Body() body: NewOrderDto,
    @IdempotencyKey() idempotencyKey: IdempotencyHeader,
    @Query() _parameters: NoParameters,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.idempotency.answer(request, reply, idempotencyKey, async () => {
      const order = await this.orders.place(callerKeyOf(request).id, body.petId);
      return { status: 201, body: order, location: this.links.to(`/${PATH}/${String(order.id)}`) };
    });
  }

  @Get(':orderId')
  @Operation({
    id: 'getOrder',
    summary: 'Fetch one of your orders.',
    description: "Another key's order is not found.",
    stability: 'beta',
    errors: ['order_not_found'],
  })
  @ApiParam(ORDER_ID)
  @ApiResponse({ status: 200, description: 'The order.', type: OrderDto })
  getOrder(
    @Query() _parameters: NoParameters,
    @Param('orderId') orderId: string,
    @Req() request: FastifyRequest,
  ): Promise<Order> {
    return this.orders.get(callerKeyOf(request).id, int64IdOf(orderId));
  }

  @ActionOnOrder({
    id: 'approveOrder',
    action: 'approve',
    summary: 'Approve an order.',
    description: 'From placed to approved.',
  })
  approveOrder(
    @Body() _body: NoBody,
    @IdempotencyKey() idempotencyKey: IdempotencyHeader,
    @Query() _parameters: NoParameters,
    @Param('orderId') orderId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.idempotency.answer(request, reply, idempotencyKey, () =>
      this.act(request, orderId, 'approve'),
    );
  }

  @ActionOnOrder({
    id: 'deliverOrder',
    action: 'deliver',
    summary: 'Deliver an order.',
    description: 'From approved to delivered; the animal is sold.',
  })
  deliverOrder(
    @Body() _body: NoBody,
    @IdempotencyKey() idempotencyKey: IdempotencyHeader,
    @Query() _parameters: NoParameters,
    @Param('orderId') orderId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.idempotency.answer(request, reply, idempotencyKey, () =>
      this.act(request, orderId, 'deliver'),
    );
  }

  @ActionOnOrder({
    id: 'cancelOrder',
    action: 'cancel',
    summary: 'Cancel an order.',
    description: 'From placed or approved to cancelled; the animal is available again.',
  })
  cancelOrder(
    @Body() _body: NoBody,
    @IdempotencyKey() idempotencyKey: IdempotencyHeader,
    @Query() _parameters: NoParameters,
    @Param('orderId') orderId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.idempotency.answer(request, reply, idempotencyKey, () =>
      this.act(request, orderId, 'cancel'),
    );
  }

  private async act(request: FastifyRequest, orderId: string, action: OrderAction): Promise<Success> {
    const order = await this.orders.act(callerKeyOf(request).id, int64IdOf(orderId), action);
    return { status: 200, body: order };
  }
}

/** Raises order_not_found: what is no int64 is no order's id. */
function int64IdOf(orderId: string): bigint {
  const id = parseInt64(orderId);
  if (id === undefined) throw orderNotFound(orderId);
  return id;
}
