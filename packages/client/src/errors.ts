import type { components } from './api-types.js';
import { retryAfterMsOf } from './headers.js';

type ErrorBody = components['schemas']['Error'];

/** The closed set of codes. */
export type ErrorCode = ErrorBody['code'];

/** The service refused a request. Programs use `code`; `message` is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  /** The id of the request in the service's log. */
  readonly requestId: string | undefined;
  /** How long to wait before the same request may pass; undefined when the service did not say. */
  readonly retryAfterMs: number | undefined;

  constructor(body: ErrorBody, response: Response, nowMs: number) {
    super(body.message);
    this.code = body.code;
    this.status = body.status;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfterMs = retryAfterMsOf(response, nowMs);
  }
}

/** No attempt got an answer. `cause` is the error of the last attempt. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The answer is not from the animal store, but from a proxy or another service. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly body: unknown;

  constructor({ status }: Response, body: unknown) {
    super(`expected an answer of the animal store, got another one with status ${status.toString()}`);
    this.status = status;
    this.body = body;
  }
}

/** The error for an answer that is not a success. */
export function errorOf(response: Response, body: unknown, nowMs: number): ApiError | UnexpectedAnswerError {
  return isErrorBody(body) ? new ApiError(body, response, nowMs) : new UnexpectedAnswerError(response, body);
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  const { code, message, status } = body as Partial<Record<keyof ErrorBody, unknown>>;
  return typeof code === 'string' && typeof message === 'string' && typeof status === 'number';
}
