import { ApiError } from '../platform/common/errors/api-error.js';
import { invalidParameter } from '../platform/common/errors/common.errors.js';
import { describeValue } from '../platform/common/describe-value.js';

/** `id`: an int64, or the text of a path parameter that is not an int64. An order of another key is not found either. */
export const orderNotFound = (id: bigint | string) =>
  new ApiError('order_not_found', `There is no order with the id ${describeValue(id)}.`);

export const keyIdOfPartner = () =>
  invalidParameter('keyId: expected only from keys with manage access; others see their own orders anyway');
