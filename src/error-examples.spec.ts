import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode } from './platform/common/errors/errors.js';
import * as common from './platform/common/errors/common.errors.js';
import { mediaTypeProblem } from './platform/http/requests/body.guard.js';
import { malformedTarget } from './platform/http/requests/malformed-request.js';
import { parseJson } from './platform/common/json.js';
import { StrictValidationPipe } from './platform/http/requests/validation/strict-validation.pipe.js';
import { DatabaseUnavailableError } from './platform/database/database.errors.js';
import { invalidIdempotencyKey } from './platform/idempotency/idempotency.errors.js';
import { ListPetsQuery, NewPetDto } from './pets/dto/pets.dto.js';
import { insufficientAccess, keyNotFound } from './auth/auth.errors.js';
import { petHasOpenOrder, petNotAvailable, petNotFound } from './pets/pets.errors.js';
import type { Decision } from './rate-limit/decision.js';
import { refusal } from './rate-limit/rate-limit.errors.js';
import { orderNotFound } from './store/orders.errors.js';

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was refused');
}

const pipe = new StrictValidationPipe();
const decision: Decision = {
  outcome: 'refused',
  source: 'memory',
  nowMs: 18_000,
  windows: [{ name: 'minute', limit: 60, used: 60, remaining: 0, resetAtMs: 60_000 }],
  bannedUntilMs: null,
  startedBan: null,
};
const plainText = {
  method: 'POST',
  headers: { 'content-length': '1', 'content-type': 'text/plain' },
  raw: { rawHeaders: [] },
};

/** The errors of the service in the cases of the examples. The other errors take their message from the example. */
const ERROR_OF: Partial<Record<ErrorCode, () => Error | undefined>> = {
  malformed_json: () => thrownBy(() => parseJson(Buffer.from('{"a": 1x'))),
  invalid_body: () =>
    thrownBy(() =>
      pipe.transform({ name: 'Rex', categoryId: 'seven' }, { type: 'body', metatype: NewPetDto }),
    ),
  invalid_parameter: () =>
    thrownBy(() => pipe.transform({ limit: '500' }, { type: 'query', metatype: ListPetsQuery })),
  invalid_cursor: () => common.invalidCursor('abc'),
  invalid_idempotency_key: () => invalidIdempotencyKey(''),
  bad_request: () => malformedTarget('/v1/pets/%zz'),
  insufficient_access: () => insufficientAccess('manage', 'read'),
  pet_not_found: () => petNotFound(42n),
  key_not_found: () => keyNotFound('c9e9cb7c-0000-4000-8000-000000000000'),
  order_not_found: () => orderNotFound(42n),
  method_not_allowed: () => common.methodNotAllowed('PUT', ['GET', 'HEAD', 'POST']),
  pet_not_available: () => petNotAvailable(42n, 'pending'),
  pet_has_open_order: () => petHasOpenOrder(42n),
  invalid_status_transition: () => common.invalidStatusTransition('status', 'sold', 'available'),
  endpoint_removed: () => common.endpointRemoved('GET /pets?status=available'),
  precondition_failed: () =>
    common.ifMatchFailed('"AAAAAAAAAAAAAAAAAAAAAAAAAAA"', '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
  unsupported_media_type: () => mediaTypeProblem(plainText as unknown as FastifyRequest),
  rate_limit_exceeded: () => refusal(decision),
  api_key_banned: () => refusal({ ...decision, outcome: 'banned', bannedUntilMs: 618_000 }),
  service_unavailable: () => new DatabaseUnavailableError(),
};

describe('examples of errors', () => {
  it.each(Object.entries(ERROR_OF))('have the message of the service: %s', (code, errorOf) => {
    expect(errorOf()?.message).toBe(ERRORS[code as ErrorCode].example);
  });
});
