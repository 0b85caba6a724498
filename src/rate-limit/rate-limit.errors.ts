import { ApiError } from '../platform/common/errors/api-error.js';
import { declareErrors } from '../platform/common/errors/error-kind.js';
import { RETRY_AFTER } from '../platform/http/responses/response-headers.js';
import type { Decision } from 'exact-rate-limiter';
import { retryAfterSeconds } from './limit-headers.js';

export const LIMIT_ERRORS = declareErrors({
  rate_limit_exceeded: {
    status: 429,
    when: 'The caller has used up its requests of the minute or of the day.',
    remedy:
      'Wait as `Retry-After` says, then retry, and wait longer each time it fails. The refused request was not counted. Further requests lead to a ban.',
    example: 'The limit of 60 requests a minute is used up. Try again in 42 s.',
  },
  api_key_banned: {
    status: 429,
    when: 'The key continued to send requests after many refusals and is banned for a time.',
    remedy:
      'Stop calling until `Retry-After` has passed. Correct the loop that caused it: the next ban is longer. The operator can lift a ban.',
    example: 'This API key is banned for sending too many requests after being refused. Try again in 600 s.',
  },
});

/** The 429 of a decision that refuses a request. */
export function refusal(decision: Decision): ApiError {
  const seconds = retryAfterSeconds(decision);
  const headers = { [RETRY_AFTER.name]: String(seconds) };
  if (decision.outcome === 'banned') {
    const message = `This API key is banned for sending too many requests after being refused. Try again in ${seconds} s.`;
    return new ApiError(LIMIT_ERRORS.api_key_banned, message, headers);
  }
  const exhausted = decision.windows.filter(({ remaining }) => remaining === 0);
  const named = exhausted.map(({ name, limit }) => `${limit} requests a ${name}`).join(' and ');
  return new ApiError(
    LIMIT_ERRORS.rate_limit_exceeded,
    `The limit of ${named} is used up. Try again in ${seconds} s.`,
    headers,
  );
}
