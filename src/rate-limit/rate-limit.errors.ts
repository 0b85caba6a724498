import { ApiError } from '../platform/common/errors/api-error.js';
import { RETRY_AFTER } from '../platform/http/responses/response-headers.js';
import type { Decision } from './decision.js';
import { retryAfterSeconds } from './limit-headers.js';

/** The 429 of a decision that refuses a request. */
export function refusal(decision: Decision): ApiError {
  const seconds = retryAfterSeconds(decision);
  const headers = { [RETRY_AFTER.name]: String(seconds) };
  if (decision.outcome === 'banned') {
    const message = `This API key is banned for sending too many requests after being refused. Try again in ${seconds} s.`;
    return new ApiError('api_key_banned', message, headers);
  }
  const exhausted = decision.windows.filter(({ remaining }) => remaining === 0);
  const named = exhausted.map(({ name, limit }) => `${limit} requests a ${name}`).join(' and ');
  return new ApiError(
    'rate_limit_exceeded',
    `The limit of ${named} is used up. Try again in ${seconds} s.`,
    headers,
  );
}
