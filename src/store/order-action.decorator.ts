import { applyDecorators, HttpCode, Post } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Access } from '../auth/access.js';
import { Operation } from '../auth/operation.decorator.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { ApiInt64Param } from '../platform/http/operations/schemas.js';
import { ApiNoBody } from '../platform/http/requests/validation/rules.js';
import { ApiPreconditions } from '../platform/http/responses/etag.js';
import { IDEMPOTENCY_ERRORS } from '../platform/idempotency/idempotency.errors.js';
import { Idempotent } from '../platform/idempotency/idempotency.js';
import { OrderDto } from './dto/store.dto.js';
import { ORDER_ERRORS } from './orders.errors.js';
import type { OrderAction } from './order-states.js';

export const ApiOrderId = () => ApiInt64Param('orderId', 'The identifier of the order.', 7);

/** Declares approveOrder, deliverOrder or cancelOrder; `effect` describes what the action does. */
export const ActionOnOrder = (action: OrderAction, access: Access, effect: string) =>
  applyDecorators(
    Post(`orders/:orderId/${action}`),
    HttpCode(200),
    Operation({
      id: `${action}Order`,
      summary: `${action.charAt(0).toUpperCase()}${action.slice(1)} an order.`,
      description: `${effect} The body is absent or an empty object.`,
      stability: 'beta',
      access,
      errors: [
        ...Object.values(IDEMPOTENCY_ERRORS),
        ORDER_ERRORS.order_not_found,
        HTTP_ERRORS.precondition_failed,
        HTTP_ERRORS.invalid_status_transition,
      ],
    }),
    Idempotent(),
    ApiPreconditions(),
    ApiOrderId(),
    ApiNoBody(),
    ApiResponse({ status: 200, description: 'The changed order.', type: OrderDto }),
  );
