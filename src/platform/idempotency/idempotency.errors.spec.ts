import { expect, it } from '@jest/globals';
import { IDEMPOTENCY_ERRORS, invalidIdempotencyKey } from './idempotency.errors.js';

it('an empty Idempotency-Key has the message of the example of its code', () => {
  expect(invalidIdempotencyKey('').message).toBe(IDEMPOTENCY_ERRORS.invalid_idempotency_key.example);
});
