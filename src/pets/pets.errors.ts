import { ApiError } from '../platform/common/errors/api-error.js';
import { describeValue } from '../platform/common/describe-value.js';
import type { PetStatus } from './pet-status.js';

/** `id`: an int64, or the text of a path parameter that is not an int64. */
export const petNotFound = (id: bigint | string) =>
  new ApiError('pet_not_found', `There is no animal with the id ${describeValue(id)}.`);

export const petNotAvailable = (id: bigint, status: PetStatus) =>
  new ApiError('pet_not_available', `The animal ${String(id)} is not available: it is ${status}.`);

export const petHasOpenOrder = (id: bigint) =>
  new ApiError(
    'pet_has_open_order',
    `The animal ${String(id)} is reserved by an open order: it can be neither deleted nor given another status.`,
  );
