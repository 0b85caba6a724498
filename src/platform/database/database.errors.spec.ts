import { expect, it } from '@jest/globals';
import { HTTP_ERRORS } from '../common/errors/http.errors.js';
import { DatabaseUnavailableError } from './database.errors.js';

it('a database that is away has the message of the example of service_unavailable', () => {
  expect(new DatabaseUnavailableError().message).toBe(HTTP_ERRORS.service_unavailable.example);
});
