import { ApiError, type ErrorCode } from '../common/errors/api-error.js';
import { describeValue } from '../common/describe-value.js';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const MAX_IDEMPOTENCY_KEY_CHARACTERS = 255;

/** The codes of an operation that takes an idempotency key. */
export const IDEMPOTENCY_ERRORS = [
  'invalid_idempotency_key',
  'idempotency_key_in_use',
  'idempotency_key_reused',
] as const satisfies readonly ErrorCode[];

/** `got`: the value of the header. */
export const invalidIdempotencyKey = (got: string) =>
  new ApiError(
    'invalid_idempotency_key',
    `${IDEMPOTENCY_KEY_HEADER}: expected 1 to ${String(MAX_IDEMPOTENCY_KEY_CHARACTERS)} printable ASCII characters, once, got ${describeValue(got)}`,
  );
