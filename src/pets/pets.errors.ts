import { ApiError } from '../platform/common/errors/api-error.js';
import { declareErrors } from '../platform/common/errors/error-kind.js';
import { describeValue } from '../platform/common/describe-value.js';
import type { PetStatus } from './pet-status.js';

export const PET_ERRORS = declareErrors({
  pet_not_found: {
    status: 404,
    when: 'No animal has this id. An id in the path that is not an int64 gets the same answer: `/v1/pets/abc`, `/v1/pets/1.5`.',
    remedy: 'Treat the animal as absent. It may have been there before.',
    example: 'There is no animal with the id 42.',
  },
  pet_not_available: {
    status: 409,
    when: 'An order names an animal that is pending or sold.',
    remedy: 'Choose another animal. This one becomes available again only if its order is cancelled.',
    example: 'The animal 42 is not available: it is pending.',
  },
  pet_has_open_order: {
    status: 409,
    when: 'The request deletes an animal that has an open order, or changes its status.',
    remedy: 'Deliver or cancel the order first.',
    example:
      'The animal 42 is reserved by an open order: it can be neither deleted nor given another status.',
  },
});

/** `id`: an int64, or the text of a path parameter that is not an int64. */
export const petNotFound = (id: bigint | string) =>
  new ApiError(PET_ERRORS.pet_not_found, `There is no animal with the id ${describeValue(id)}.`);

export const petNotAvailable = (id: bigint, status: PetStatus) =>
  new ApiError(PET_ERRORS.pet_not_available, `The animal ${String(id)} is not available: it is ${status}.`);

export const petHasOpenOrder = (id: bigint) =>
  new ApiError(
    PET_ERRORS.pet_has_open_order,
    `The animal ${String(id)} is reserved by an open order: it can be neither deleted nor given another status.`,
  );
