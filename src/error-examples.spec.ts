import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { invalidApiKey, missingApiKey, readOnlyKey } from './auth/auth.errors.js';
import { STATUS_OF_CODE, type ErrorCode } from './common/errors/api-error.js';
import * as common from './common/errors/common.errors.js';
import { ERROR_EXAMPLES } from './common/errors/error-examples.js';
import { parseQueryString } from './common/http/query-string.js';
import { findMediaTypeProblem } from './common/http/request-framing.js';
import { targetProblem } from './common/http/request-target.js';
import { parseJson } from './common/json/parse-json.js';
import { StrictValidationPipe } from './common/validation/strict-validation.pipe.js';
import { databaseUnavailable } from './database/database.errors.js';
import { IdempotencyHeader } from './idempotency/idempotency-header.js';
import { idempotencyKeyInUse, idempotencyKeyReused } from './idempotency/idempotency.errors.js';
import { ListPetsQuery } from './pets/dto/list-pets.query.js';
import { NewPetDto } from './pets/dto/new-pet.dto.js';
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

/** What the service says in the cases that the examples show. */
const SAID: Record<ErrorCode, () => Error | undefined> = {
  malformed_json: () => thrownBy(() => parseJson(Buffer.from('{"a": 1x'))),
  invalid_body: () =>
    thrownBy(() =>
      pipe.transform({ name: 'Rex', categoryId: 'seven' }, { type: 'body', metatype: NewPetDto }),
    ),
  invalid_parameter: () =>
    thrownBy(() => pipe.transform(parseQueryString('limit=500'), { type: 'query', metatype: ListPetsQuery })),
  invalid_cursor: () => common.invalidCursor('abc'),
  invalid_idempotency_key: () => thrownBy(() => IdempotencyHeader.read({ value: '', count: 1 })),
  bad_request: () => targetProblem('/v1/pets/%zz'),
  missing_api_key: missingApiKey,
  invalid_api_key: invalidApiKey,
  read_only_key: readOnlyKey,
  pet_not_found: () => petNotFound(42n),
  order_not_found: () => orderNotFound(42n),
  route_not_found: common.routeNotFound,
  method_not_allowed: () => common.methodNotAllowed('PUT', ['GET', 'HEAD', 'POST']),
  request_timeout: common.requestTimeout,
  pet_not_available: () => petNotAvailable(42n, 'pending'),
  pet_has_open_order: () => petHasOpenOrder(42n),
  invalid_status_transition: () => common.invalidStatusTransition('status', 'sold', 'available'),
  idempotency_key_in_use: idempotencyKeyInUse,
  endpoint_removed: () => common.endpointRemoved('GET /pets?status=available'),
  body_too_large: common.bodyTooLarge,
  uri_too_long: common.uriTooLong,
  unsupported_media_type: () => {
    let found: Error | undefined;
    findMediaTypeProblem(
      plainText as unknown as FastifyRequest,
      Readable.from([]),
      (problem) => (found = problem),
    );
    return found;
  },
  idempotency_key_reused: idempotencyKeyReused,
  rate_limit_exceeded: () => refusal(decision),
  api_key_banned: () => refusal({ ...decision, outcome: 'banned', bannedUntilMs: 618_000 }),
  headers_too_large: common.headersTooLarge,
  internal_error: () => common.internalError(undefined),
  service_unavailable: databaseUnavailable,
};

/** The JSON under each code's heading. */
function examplesOf(page: string): Map<string, unknown> {
  const sections = page.matchAll(/^## ([a-z_]+)$[\s\S]*?^```json\n([\s\S]*?)^```$/gm);
  return new Map(Array.from(sections, ([, code, json]) => [code!, JSON.parse(json!) as unknown]));
}

describe('the examples of errors', () => {
  const codes = Object.keys(ERROR_EXAMPLES) as ErrorCode[];

  it.each(codes)('%s is what the service says', (code) => {
    expect(SAID[code]()?.message).toBe(ERROR_EXAMPLES[code]);
  });

  it('are those of docs/errors.md', () => {
    const page = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8');
    expect(Object.fromEntries(examplesOf(page))).toEqual(
      Object.fromEntries(
        codes.map((code) => [code, { code, message: ERROR_EXAMPLES[code], status: STATUS_OF_CODE[code] }]),
      ),
    );
  });
});
