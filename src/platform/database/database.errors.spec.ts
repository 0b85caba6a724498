import { expect, it } from '@jest/globals';
import { ERRORS } from '../common/errors/errors.js';
import { DatabaseUnavailableError } from './database.errors.js';

it('a database that is away has the message of the example of service_unavailable', () => {
  expect(new DatabaseUnavailableError().message).toBe(ERRORS.service_unavailable.example);
});
