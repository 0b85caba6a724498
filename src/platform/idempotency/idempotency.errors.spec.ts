import { expect, it } from '@jest/globals';
import { ERRORS } from '../common/errors/errors.js';
import { invalidIdempotencyKey } from './idempotency.errors.js';

it('an empty Idempotency-Key has the message of the example of its code', () => {
  expect(invalidIdempotencyKey('').message).toBe(ERRORS.invalid_idempotency_key.example);
});
