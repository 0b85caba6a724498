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
});

/** `id`: an int64, or the text of a path parameter that is not an int64. An order of another key is not found either. */
export const orderNotFound = (id: bigint | string) =>
  new ApiError(ORDER_ERRORS.order_not_found, `There is no order with the id ${describeValue(id)}.`);

export const keyIdOfPartner = () =>
  invalidParameter('keyId: expected only from keys with manage access; others see their own orders anyway');
