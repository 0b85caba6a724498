import { ApiError } from '../common/errors/api-error.js';
import { declareErrors } from '../common/errors/error-kind.js';
import { describeValue } from '../common/describe-value.js';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const MAX_IDEMPOTENCY_KEY_CHARACTERS = 255;

export const IDEMPOTENCY_ERRORS = declareErrors({
  invalid_idempotency_key: {
    status: 400,
    when: '`Idempotency-Key` is empty, longer than 255 characters, or not printable ASCII.',
    remedy: 'Send a key of 1 to 255 printable ASCII characters. A UUID fits.',
    example: 'Idempotency-Key: expected 1 to 255 printable ASCII characters, once, got an empty string',
  },
  idempotency_key_in_use: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is still running.',
    remedy:
      'Send the same request again after `Retry-After`, which is 1 second. It then gets the answer of the first.',
    example: 'The first request with this Idempotency-Key is still running.',
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was used before with another request. Two requests are the same when their method, path, query and body bytes are equal.',
    remedy: 'Use a fresh key for every new request. Repeat a request byte for byte.',
    example:
      'This Idempotency-Key was used with another request: method, path, query and body must be the same.',
  },
});

/** `got`: the value of the header. */
export const invalidIdempotencyKey = (got: string) =>
  new ApiError(
    IDEMPOTENCY_ERRORS.invalid_idempotency_key,
    `${IDEMPOTENCY_KEY_HEADER}: expected 1 to ${String(MAX_IDEMPOTENCY_KEY_CHARACTERS)} printable ASCII characters, once, got ${describeValue(got)}`,
  );
