import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentKey } from '../auth/caller.js';
import type { CallerKey } from '../auth/keys/api-key.js';
import { Operation } from '../auth/operation.decorator.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { int64IdOf } from '../platform/common/int64.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../platform/common/paging.js';
import { ApiArrayResponse } from '../platform/http/operations/schemas.js';
import { NoBody } from '../platform/http/requests/validation/rules.js';
import { ApiIfNoneMatch, Preconditions, type Precondition } from '../platform/http/responses/etag.js';
import { Links, setNextPage } from '../platform/http/responses/links.js';
import { LOCATION } from '../platform/http/responses/response-headers.js';
import { IDEMPOTENCY_ERRORS } from '../platform/idempotency/idempotency.errors.js';
import { Idempotency, Idempotent } from '../platform/idempotency/idempotency.js';
import { PET_ERRORS } from '../pets/pets.errors.js';
import { PetsService } from '../pets/pets.service.js';
import { ListOrdersQuery, InventoryDto, NewOrderDto, OrderDto } from './dto/store.dto.js';
import { ActionOnOrder, ApiOrderId } from './order-action.decorator.js';
import { MAX_OPEN_ORDERS } from './open-orders.js';
import type { OrderAction } from './order-states.js';
import type { OrderEntity } from './order.entity.js';
import { ORDER_ERRORS, orderNotFound } from './orders.errors.js';
import { OrdersService } from './orders.service.js';

const PATH = '/store/orders';

const openOrderBounds = Object.entries(MAX_OPEN_ORDERS)
  .map(([plan, bound]) => `${bound.toLocaleString('en')} (${plan})`)
  .join(', ');

@ApiTags('Store')
@Controller({ path: 'store', version: '1' })
export class StoreController {
  constructor(
    private readonly orders: OrdersService,
    private readonly pets: PetsService,
    private readonly idempotency: Idempotency,
    private readonly links: Links,
  ) {}

  @Get('orders')
  @Operation({
    id: 'listOrders',
    summary: 'List orders.',
    description:
      'Ascending by id, or descending with `order=desc`, in pages as those of listPets. With `order` access: the orders of this key. With `manage` access: ' +
      'those of all keys, revoked and expired ones included.',
    stability: 'beta',
    access: 'order',
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  @ApiArrayResponse(OrderDto, { title: 'Orders', description: 'A page of orders.', maxItems: MAX_PAGE_SIZE })
  async listOrders(
    @Query() query: ListOrdersQuery,
    @CurrentKey() key: CallerKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OrderDto[]> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, ...filter } = query;
    const { items, nextCursor } = await this.orders.list(key, filter, limit, cursor);
    if (nextCursor !== undefined) setNextPage(reply, this.links, PATH, { limit, ...filter }, nextCursor);
    return items.map((order) => OrderDto.of(order));
  }

  @Post('orders')
  @HttpCode(201)
  @Operation({
    id: 'placeOrder',
    summary: 'Order an animal.',
    description:
      'Reserves an available animal: it is pending until the order ends. An order that is not approved by `expiresAt` expires. ' +
      'Of many simultaneous orders for one animal exactly one wins; the others get 409. With `order` access a key has at most ' +
      `${openOrderBounds} open orders (placed or approved), by its plan. ` +
      'Send an `Idempotency-Key`, so that a retry places no second order.',
    stability: 'beta',
    access: 'order',
    errors: [
      ...Object.values(IDEMPOTENCY_ERRORS),
      PET_ERRORS.pet_not_found,
      HTTP_ERRORS.precondition_failed,
      PET_ERRORS.pet_not_available,
      ORDER_ERRORS.too_many_open_orders,
    ],
  })
  @Idempotent()
  @ApiIfNoneMatch()
  @ApiBody({ type: NewOrderDto })
  @ApiResponse({ status: 201, description: 'Order placed.', type: OrderDto })
  placeOrder(
    @Body() body: NewOrderDto,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OrderDto | string> {
    return this.idempotency.once(key.id, request, reply, async () => {
      precondition();
      const order = await this.orders.place(key, body);
      void reply.header(LOCATION.name, this.links.to(`${PATH}/${order.id}`));
      return OrderDto.of(order);
    });
  }

  @Get('orders/:orderId')
  @Operation({
    id: 'getOrder',
    summary: 'Fetch an order.',
    description: 'Shows an order and its state. With `order` access, an order of another key is not found.',
    stability: 'beta',
    access: 'order',
    errors: [ORDER_ERRORS.order_not_found],
  })
  @ApiOrderId()
  @ApiResponse({ status: 200, description: 'The order.', type: OrderDto })
  async getOrder(@Param('orderId') orderId: string, @CurrentKey() key: CallerKey): Promise<OrderDto> {
    return OrderDto.of(await this.orders.get(key, int64IdOf(orderId, orderNotFound)));
  }

  @ActionOnOrder(
    'approve',
    'manage',
    'Accepts the order: from placed to approved. The animal stays reserved.',
  )
  approveOrder(
    @Body() _body: NoBody,
    @Param('orderId') orderId: string,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OrderDto | string> {
    return this.idempotency.once(key.id, request, reply, () =>
      this.transition(key, orderId, 'approve', precondition),
    );
  }

  @ActionOnOrder(
    'deliver',
    'manage',
    'Hands the animal over: from approved to delivered. The animal is sold.',
  )
  deliverOrder(
    @Body() _body: NoBody,
    @Param('orderId') orderId: string,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OrderDto | string> {
    return this.idempotency.once(key.id, request, reply, () =>
      this.transition(key, orderId, 'deliver', precondition),
    );
  }

  @ActionOnOrder(
    'cancel',
    'order',
    'Gives the animal back: from placed or approved to cancelled. The animal is available again.',
  )
  cancelOrder(
    @Body() _body: NoBody,
    @Param('orderId') orderId: string,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OrderDto | string> {
    return this.idempotency.once(key.id, request, reply, () =>
      this.transition(key, orderId, 'cancel', precondition),
    );
  }

  @Get('inventory')
  @Operation({
    id: 'getInventory',
    summary: 'Count the animals by status.',
    description:
      'How many animals are available, pending and sold: exact, and as fast with ten million animals as with ten.',
    stability: 'experimental',
    access: 'read',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The number of animals of every status.', type: InventoryDto })
  getInventory(): Promise<InventoryDto> {
    return this.pets.inventory();
  }

  private async transition(
    key: CallerKey,
    orderId: string,
    action: OrderAction,
    precondition: Precondition,
  ): Promise<OrderDto> {
    const check = (order: OrderEntity) => precondition(OrderDto.of(order));
    return OrderDto.of(await this.orders.transition(key, int64IdOf(orderId, orderNotFound), action, check));
  }
}
