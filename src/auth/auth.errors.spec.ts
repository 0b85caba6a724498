import { expect, it } from '@jest/globals';
import { AUTH_ERRORS, insufficientAccess, keyNotFound } from './auth.errors.js';

it.each([
  ['insufficient_access', insufficientAccess('manage', 'read')],
  ['key_not_found', keyNotFound('c9e9cb7c-0000-4000-8000-000000000000')],
] as const)('%s has the message of its example', (code, error) => {
  expect(error.message).toBe(AUTH_ERRORS[code].example);
});
