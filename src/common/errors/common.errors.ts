import { describeValue } from '../describe-value.js';
import { ApiError } from './api-error.js';

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;
/** The longest request target (path and query), in bytes. */
export const MAX_TARGET_BYTES = 8 * 1024;
/** The most bytes of header lines in one request. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** A caller may try again after one second. */
export const RETRY_SOON = { 'Retry-After': '1' };

export const routeNotFound = () =>
  new ApiError('route_not_found', 'No operation has this path. The operations are listed at /docs.');

export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new ApiError('method_not_allowed', `This path answers ${allowed.join(', ')}, not ${method}.`, {
    Allow: allowed.join(', '),
  });

export const badRequest = (message: string) => new ApiError('bad_request', message);

export const unsupportedMediaType = (what: string) =>
  new ApiError(
    'unsupported_media_type',
    `The body must be application/json in UTF-8 without a content encoding; ${what}.`,
  );

export const bodyTooLarge = () =>
  new ApiError('body_too_large', `The body may be at most ${String(MAX_BODY_BYTES)} bytes long.`);

export const uriTooLong = () =>
  new ApiError(
    'uri_too_long',
    `Path and query together may be at most ${String(MAX_TARGET_BYTES)} bytes long.`,
  );

export const headersTooLarge = () =>
  new ApiError(
    'headers_too_large',
    `The headers may be at most ${String(MAX_HEADER_BYTES)} bytes long together.`,
  );

export const requestTimeout = () =>
  new ApiError(
    'request_timeout',
    'The headers must arrive within 10 seconds and the whole request within 30 seconds.',
  );

export const malformedJson = (why: string) => new ApiError('malformed_json', why);

export const invalidBody = (problems: string) => new ApiError('invalid_body', problems);

export const invalidParameter = (problems: string) => new ApiError('invalid_parameter', problems);

export const invalidCursor = (got: string) =>
  new ApiError(
    'invalid_cursor',
    `cursor: expected a value from the X-Next-Cursor or Link header of this operation with the same filters, got ${describeValue(got)}`,
  );

/** `what`: the field or thing whose state does not change from `from` to `to`. */
export const invalidStatusTransition = (what: string, from: string, to: string) =>
  new ApiError('invalid_status_transition', `${what}: ${from} cannot become ${to}.`);

export const endpointRemoved = (replacement: string) =>
  new ApiError('endpoint_removed', `This operation has been removed. Use ${replacement} instead.`);

export const preconditionFailed = () =>
  new ApiError('precondition_failed', 'If-Match does not match the current ETag: the state has changed.');

export const internalError = (cause: unknown) =>
  new ApiError(
    'internal_error',
    'The service failed. Please report the X-Request-Id of this answer.',
    {},
    { cause },
  );

export const serviceUnavailable = (message: string, cause?: unknown) =>
  new ApiError('service_unavailable', message, RETRY_SOON, { cause });

/** 503: more work arrives than is finished. */
export const overloaded = () => serviceUnavailable('The service is overloaded. Please try again shortly.');
