import { ApiError } from '../platform/common/errors/api-error.js';
import { describeValue } from '../platform/common/describe-value.js';

/** `id`: an int64, or the text of a path parameter that is not an int64. An order of another key is not found either. */
export const orderNotFound = (id: bigint | string) =>
  new ApiError('order_not_found', `There is no order with the id ${describeValue(id)}.`);
