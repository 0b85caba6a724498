import type { Plan } from '../auth/plans.js';
import { ApiError } from '../platform/common/errors/api-error.js';
import { declareErrors } from '../platform/common/errors/error-kind.js';
import { invalidParameter } from '../platform/common/errors/common.errors.js';
import { describeValue } from '../platform/common/describe-value.js';

export const ORDER_ERRORS = declareErrors({
  order_not_found: {
    status: 404,
    when: 'No order has this id, the id is not an int64, or the order belongs to another key.',
    remedy: 'Check the id, and use the key that placed the order.',
    example: 'There is no order with the id 42.',
  },
  too_many_open_orders: {
    status: 409,
    when: 'The key has as many open orders (placed or approved) as its plan allows: 10 with free, 100 with pro, 1,000 with business, 10,000 with enterprise.',
    remedy: 'Wait until the store delivers, cancel an order, or ask the store for another plan.',
    example: 'The plan free allows 10 open orders, and this key has as many.',
  },
});

/** `id`: an int64, or the text of a path parameter that is not an int64. An order of another key is not found either. */
export const orderNotFound = (id: bigint | string) =>
  new ApiError(ORDER_ERRORS.order_not_found, `There is no order with the id ${describeValue(id)}.`);

export const tooManyOpenOrders = (plan: Plan, bound: number) =>
  new ApiError(
    ORDER_ERRORS.too_many_open_orders,
    `The plan ${plan} allows ${String(bound)} open orders, and this key has as many.`,
  );

/** `filter`: a filter of the store. */
export const filterOfPartner = (filter: string) =>
  invalidParameter(
    `${filter}: expected only from keys with manage access; others see their own orders anyway`,
  );
