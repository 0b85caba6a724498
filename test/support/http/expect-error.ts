import { expect } from '@jest/globals';
import type { Answer } from './client.js';

/** The closed set of codes, each with its status. */
export const STATUS = {
  malformed_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  bad_request: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_access: 403,
  outdated_secret: 403,
  pet_not_found: 404,
  order_not_found: 404,
  key_not_found: 404,
  webhook_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  pet_not_available: 409,
  too_many_open_orders: 409,
  too_many_webhooks: 409,
  conflict: 409,
  pet_has_open_order: 409,
  invalid_status_transition: 409,
  idempotency_key_in_use: 409,
  endpoint_removed: 410,
  event_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  api_key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type Code = keyof typeof STATUS;

const MESSAGE_CHARACTERS = 1_000;

/** Expects this error: exactly three fields, and the headers of every response. Returns the message. */
export function expectError(answer: Answer, code: Code): string {
  const status = STATUS[code];
  expect(answer.body).toEqual({ code, message: expect.stringMatching(/\S/), status: BigInt(status) });
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers.link).toMatch(new RegExp(`/docs/errors#${code}>; rel="help"$`));
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  const { message } = answer.body as { message: string };
  expect(message.length).toBeLessThanOrEqual(MESSAGE_CHARACTERS);
  return message;
}

/** Expects one success among these responses, and this error in all others. Returns the success. */
export function expectOneWinner(answers: readonly Answer[], code: Code): Answer {
  const winners = answers.filter(({ status }) => status < 300);
  expect(winners).toHaveLength(1);
  const [winner] = winners;
  for (const answer of answers) if (answer !== winner) expectError(answer, code);
  return winner!;
}

/** Headers that differ between any two responses. Tests replace them before they compare responses. */
export const VARYING_HEADERS = {
  date: '',
  'x-request-id': '',
  'x-ratelimit-remaining': '',
  'x-ratelimit-reset': '',
  ratelimit: '',
};
