import { expect, it } from '@jest/globals';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { malformedTarget } from './malformed-request.js';

it('a broken percent escape has the message of the example of bad_request', () => {
  expect(malformedTarget('/v1/pets/%zz')?.message).toBe(HTTP_ERRORS.bad_request.example);
});
