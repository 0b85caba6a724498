import { ApiError } from '../common/errors/api-error.js';
import { describeValue } from '../common/validation/describe-value.js';

/** `id` as it came: an int64, or a text that is none. Another key's order is not found either. */
export const orderNotFound = (id: bigint | string) =>
  new ApiError('order_not_found', `There is no order with the id ${describeValue(id)}.`);
