import { expect, it } from '@jest/globals';
import { ERRORS } from '../../common/errors/errors.js';
import { malformedTarget } from './malformed-request.js';

it('a broken percent escape has the message of the example of bad_request', () => {
  expect(malformedTarget('/v1/pets/%zz')?.message).toBe(ERRORS.bad_request.example);
});
