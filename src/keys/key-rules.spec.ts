import { expect, it } from '@jest/globals';
import { validBody } from '../platform/http/requests/validation/validate.js';
import { KeyUpdateDto } from './dto/keys.dto.js';

it.each(['2527-06-30T12:00:00Z', '2527-06-30t12:00:00z', '2527-06-30t14:00:00.5+02:00'])(
  'a key ends at a time as RFC 3339 writes it: %s',
  (expiresAt) => expect(validBody({ expiresAt }, KeyUpdateDto)).toMatchObject({ expiresAt }),
);

it.each(['2527-06-30 12:00:00z', '2527-06-30', '2527-02-30t12:00:00z', '2527-06-30t12:00:00'])(
  'a key ends at no other time: %s',
  (expiresAt) => expect(() => validBody({ expiresAt }, KeyUpdateDto)).toThrow('expiresAt'),
);
