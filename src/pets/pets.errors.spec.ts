import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { StrictValidationPipe } from '../platform/http/requests/validation/strict-validation.pipe.js';
import { ListPetsQuery, NewPetDto } from './dto/pets.dto.js';
import { PET_ERRORS, petHasOpenOrder, petNotAvailable, petNotFound } from './pets.errors.js';

it.each([
  ['pet_not_found', petNotFound(42n)],
  ['pet_not_available', petNotAvailable(42n, 'pending')],
  ['pet_has_open_order', petHasOpenOrder(42n)],
] as const)('%s has the message of its example', (code, error) => {
  expect(error.message).toBe(PET_ERRORS[code].example);
});

describe('what the validation refuses', () => {
  const pipe = new StrictValidationPipe();

  it('has the message of the example of invalid_body', () => {
    const body = { name: 'Rex', categoryId: 'seven' };
    expect(() => pipe.transform(body, { type: 'body', metatype: NewPetDto })).toThrow(
      expect.objectContaining({ message: HTTP_ERRORS.invalid_body.example }),
    );
  });

  it('has the message of the example of invalid_parameter', () => {
    expect(() => pipe.transform({ limit: '500' }, { type: 'query', metatype: ListPetsQuery })).toThrow(
      expect.objectContaining({ message: HTTP_ERRORS.invalid_parameter.example }),
    );
  });
});
