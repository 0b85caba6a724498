import type { ErrorCode } from './api-error.js';

/** A message as a caller would see it, for the examples of the document and of docs/errors.md. */
export const ERROR_EXAMPLES: Readonly<Record<ErrorCode, string>> = {
  malformed_json: `expected ',' or '}' at byte 7, found "x"`,
  invalid_body: 'categoryId: expected an integer that fits 64 bits, got "seven"',
  invalid_parameter: 'limit: expected an integer from 1 to 100, got 500',
  invalid_cursor:
    'cursor: expected a value from the X-Next-Cursor or Link header of this operation with the same filters, got "abc"',
  invalid_idempotency_key:
    'Idempotency-Key: expected 1 to 255 printable ASCII characters, once, got an empty string',
  bad_request: 'The request target holds a percent escape that is not valid UTF-8 in hexadecimal.',
  missing_api_key: 'An API key is required: send it as "Authorization: Bearer <API_KEY>".',
  invalid_api_key: 'The API key is not valid.',
  read_only_key: 'This API key may only read.',
  pet_not_found: 'There is no animal with the id 42.',
  order_not_found: 'There is no order with the id 42.',
  route_not_found: 'Nothing lives at this path. The operations are listed at /docs.',
  method_not_allowed: 'This path answers GET, HEAD, POST, not PUT.',
  request_timeout: 'The headers must arrive within 10 seconds and the whole request within 30 seconds.',
  pet_not_available: 'The animal 42 is not available: it is pending.',
  pet_has_open_order:
    'The animal 42 is reserved by an open order: it can be neither deleted nor given another status.',
  invalid_status_transition: 'status: sold cannot become available.',
  idempotency_key_in_use: 'The first request with this Idempotency-Key is still running.',
  endpoint_removed: 'This operation has been removed. Use GET /pets?status=available instead.',
  body_too_large: 'The body may be at most 65536 bytes long.',
  uri_too_long: 'Path and query together may be at most 8192 bytes long.',
  unsupported_media_type:
    'The body must be application/json in UTF-8 without a content encoding; got the media type "text/plain".',
  idempotency_key_reused:
    'This Idempotency-Key was used with another request: method, path, query and body must be the same.',
  rate_limit_exceeded: 'The limit of 60 requests a minute is used up. Try again in 42 s.',
  api_key_banned:
    'This API key is banned for sending too many requests after being refused. Try again in 600 s.',
  headers_too_large: 'The headers may be at most 16384 bytes long together.',
  internal_error: 'The service failed. Please report the X-Request-Id of this answer.',
  service_unavailable: 'The database cannot be reached. Please try again shortly.',
};
