import { takesHeader, type ResponseHeader } from '../http/responses/response-headers.js';
import { IDEMPOTENCY_KEY_HEADER } from './idempotency.errors.js';

export const REPLAYED = {
  name: 'Idempotent-Replayed',
  description: 'The stored response of an earlier request with this Idempotency-Key.',
  schema: { const: 'true' },
  on: (status, operation) =>
    status < 300 && takesHeader(operation, IDEMPOTENCY_KEY_HEADER) ? 'sometimes' : 'never',
} as const satisfies ResponseHeader;
