import { ApiError } from '../common/errors/api-error.js';
import { describeValue } from '../common/validation/describe-value.js';

/** `id` as it came: an int64, or a text that is none. */
export const petNotFound = (id: bigint | string) =>
  new ApiError('pet_not_found', `There is no animal with the id ${describeValue(id)}.`);
