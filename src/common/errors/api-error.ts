import { redactApiKeys } from '../redact.js';

/** Every code an error answer can carry and the HTTP status it belongs to. The set is closed: docs/errors.md. */
export const STATUS_OF_CODE = {
  malformed_json: 400,
  invalid_body: 400,
  invalid_parameter: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  bad_request: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  read_only_key: 403,
  pet_not_found: 404,
  order_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  pet_not_available: 409,
  pet_has_open_order: 409,
  invalid_status_transition: 409,
  idempotency_key_in_use: 409,
  endpoint_removed: 410,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  api_key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** The body of every error answer, and nothing more than these three fields. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  status: number;
}

/**
 * A failure the caller is told about. `message` is for people: it names what was at fault, what was
 * expected and what came; never a stack, SQL, a key or a file path. `headers` go out with the answer.
 */
export class ApiError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    // It is an answer, and its stack is never shown: taking one costs a fifth of a refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    // A message repeats what came, and somebody may have put a key into the wrong place.
    super(redactApiKeys(message), options);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ApiError';
    this.status = STATUS_OF_CODE[code];
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}
