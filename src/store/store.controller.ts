import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { CurrentKey } from '../auth/caller.js';
import { Change } from '../auth/change.decorator.js';
import type { CallerKey } from '../auth/caller-key.js';
import { Operation } from '../auth/operation.decorator.js';
import { invalidStatusTransition } from '../platform/common/errors/common.errors.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Page } from '../platform/common/paging.js';
import { Int64Param } from '../platform/http/operations/int64-param.js';
import { ApiArrayResponse } from '../platform/http/operations/schemas.js';
import { ApiNoBody, NoBody } from '../platform/http/requests/validation/rules.js';
import { Idempotent } from '../platform/idempotency/idempotency.js';
import { PET_ERRORS } from '../pets/pets.errors.js';
import { PetsService } from '../pets/pets.service.js';
import { ListOrdersQuery, InventoryDto, NewOrderDto, OrderDto } from './dto/store.dto.js';
import { MAX_OPEN_ORDERS } from './open-orders.js';
import type { OrderAction } from './order-status.js';
import { ORDER_ERRORS, orderNotFound } from './orders.errors.js';
import { OrdersService } from './orders.service.js';

const openOrderBounds = Object.entries(MAX_OPEN_ORDERS)
  .map(([plan, bound]) => `${bound.toLocaleString('en')} (${plan})`)
  .join(', ');

const OrderId = () =>
  Int64Param('orderId', {
    description: 'The identifier of the order.',
    example: 1,
    notFound: orderNotFound,
    error: ORDER_ERRORS.order_not_found,
  });

@ApiTags('Store')
@Controller({ path: 'store', version: '1' })
export class StoreController {
  constructor(
    private readonly orders: OrdersService,
    private readonly pets: PetsService,
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
  async listOrders(@Query() query: ListOrdersQuery, @CurrentKey() key: CallerKey): Promise<Page<OrderDto>> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, ...filter } = query;
    return (await this.orders.list(key, filter, limit, cursor)).map((order) => OrderDto.from(order));
  }

  @Post('orders')
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
    creates: (order: OrderDto) => `/store/orders/${order.id}`,
    errors: [PET_ERRORS.pet_not_found, PET_ERRORS.pet_not_available, ORDER_ERRORS.too_many_open_orders],
  })
  @Idempotent()
  @ApiResponse({ status: 201, description: 'Order placed.', type: OrderDto })
  async placeOrder(
    @Body() body: NewOrderDto,
    @Change('collection') { key, check }: Change,
  ): Promise<OrderDto> {
    check();
    return OrderDto.from(await this.orders.place(key, body));
  }

  @Get('orders/:orderId')
  @Operation({
    id: 'getOrder',
    summary: 'Fetch an order.',
    description: 'Shows an order and its state. With `order` access, an order of another key is not found.',
    stability: 'beta',
    access: 'order',
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The order.', type: OrderDto })
  async getOrder(@OrderId() orderId: bigint, @CurrentKey() key: CallerKey): Promise<OrderDto> {
    return OrderDto.from(await this.orders.get(key, orderId));
  }

  @Post('orders/:orderId/approve')
  @HttpCode(200)
  @Operation({
    id: 'approveOrder',
    summary: 'Approve an order.',
    description:
      'Accepts the order: from placed to approved. The animal stays reserved. The body is absent or an empty object.',
    stability: 'beta',
    access: 'manage',
    errors: [invalidStatusTransition('status', 'cancelled', 'approved')],
  })
  @Idempotent()
  @ApiNoBody()
  @ApiResponse({ status: 200, description: 'The changed order.', type: OrderDto })
  approveOrder(
    @Body() _body: NoBody,
    @OrderId() orderId: bigint,
    @Change() change: Change,
  ): Promise<OrderDto> {
    return this.transition(orderId, 'approve', change);
  }

  @Post('orders/:orderId/deliver')
  @HttpCode(200)
  @Operation({
    id: 'deliverOrder',
    summary: 'Deliver an order.',
    description:
      'Hands the animal over: from approved to delivered. The animal is sold. The body is absent or an empty object.',
    stability: 'beta',
    access: 'manage',
    errors: [invalidStatusTransition('status', 'placed', 'delivered')],
  })
  @Idempotent()
  @ApiNoBody()
  @ApiResponse({ status: 200, description: 'The changed order.', type: OrderDto })
  deliverOrder(
    @Body() _body: NoBody,
    @OrderId() orderId: bigint,
    @Change() change: Change,
  ): Promise<OrderDto> {
    return this.transition(orderId, 'deliver', change);
  }

  @Post('orders/:orderId/cancel')
  @HttpCode(200)
  @Operation({
    id: 'cancelOrder',
    summary: 'Cancel an order.',
    description:
      'Gives the animal back: from placed or approved to cancelled. The animal is available again. The body is absent or an empty object.',
    stability: 'beta',
    access: 'order',
    errors: [invalidStatusTransition('status', 'delivered', 'cancelled')],
  })
  @Idempotent()
  @ApiNoBody()
  @ApiResponse({ status: 200, description: 'The changed order.', type: OrderDto })
  cancelOrder(
    @Body() _body: NoBody,
    @OrderId() orderId: bigint,
    @Change() change: Change,
  ): Promise<OrderDto> {
    return this.transition(orderId, 'cancel', change);
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

  private async transition(id: bigint, action: OrderAction, { key, check }: Change): Promise<OrderDto> {
    return OrderDto.from(
      await this.orders.transition(key, id, action, (order) => check(OrderDto.from(order))),
    );
  }
}
