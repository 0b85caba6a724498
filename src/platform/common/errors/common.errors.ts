import { describeValue } from '../describe-value.js';
import { ApiError, fixedError } from './api-error.js';
import { HTTP_ERRORS } from './http.errors.js';

export const RETRY_AFTER_HEADER = 'Retry-After';

/** The most characters of a header that a message repeats. */
const MAX_SHOWN_CHARACTERS = 200;

/** A caller may try again after one second. */
export const RETRY_SOON = { [RETRY_AFTER_HEADER]: '1' };

export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new ApiError(HTTP_ERRORS.method_not_allowed, `This path answers ${allowed.join(', ')}, not ${method}.`, {
    Allow: allowed.join(', '),
  });

export const badRequest = (message: string) => new ApiError(HTTP_ERRORS.bad_request, message);

export const unsupportedMediaType = (what: string) =>
  new ApiError(
    HTTP_ERRORS.unsupported_media_type,
    `The body must be application/json in UTF-8 without a content encoding; ${what}.`,
  );

export const malformedJson = (why: string) => new ApiError(HTTP_ERRORS.malformed_json, why);

export const invalidBody = (problems: string) => new ApiError(HTTP_ERRORS.invalid_body, problems);

export const invalidParameter = (problems: string) => new ApiError(HTTP_ERRORS.invalid_parameter, problems);

export const invalidCursor = (got: string) =>
  new ApiError(
    HTTP_ERRORS.invalid_cursor,
    `cursor: expected a value from the X-Next-Cursor or Link header of this operation with the same filters, got ${describeValue(got)}`,
  );

/** `what`: the field or thing whose state does not change from `from` to `to`. */
export const invalidStatusTransition = (what: string, from: string, to: string) =>
  new ApiError(HTTP_ERRORS.invalid_status_transition, `${what}: ${from} cannot become ${to}.`);

/** The tag of a state before a proxy that compressed the response made it weak, or appended the encoding. */
const beforeProxy = (held: string) =>
  held
    .trim()
    .replace(/^W\//, '')
    .replace(/--?(?:gzip|br|zstd|deflate)"$/, '"')
    .replace(/\.[\w-]+"$/, '"');

/** `got`: the header `If-Match`; `tag`: the current one. */
export function ifMatchFailed(got: string, tag: string): ApiError {
  const why = got.split(',').some((held) => beforeProxy(held) === tag)
    ? 'A proxy that compresses responses made the tag weak (W/, -gzip), and a weak tag never matches.'
    : 'The state has changed, or the tag is not the one of this resource.';
  return new ApiError(
    HTTP_ERRORS.precondition_failed,
    `If-Match: expected ${tag}, got ${describeTags(got)}. ${why}`,
  );
}

/** `got`: the header `If-None-Match`; `tag`: the current one, unless the resource is a collection. */
export const ifNoneMatchFailed = (got: string, tag?: string) =>
  new ApiError(
    HTTP_ERRORS.precondition_failed,
    `If-None-Match: expected no tag of the current state${tag === undefined ? '' : `, which is ${tag}`}, got ${describeTags(got)}.`,
  );

/** Tags have quotes of their own. */
const describeTags = (header: string) =>
  header === '' ? 'an empty header' : header.slice(0, MAX_SHOWN_CHARACTERS).replaceAll(/[^ -~]/g, '?');

export const endpointRemoved = (replacement: string) =>
  new ApiError(HTTP_ERRORS.endpoint_removed, `This operation has been removed. Use ${replacement} instead.`);

/** The operation is away for a while, so that its callers notice before it is removed. */
export const endpointAway = (replacement: string, until: Date) =>
  new ApiError(
    HTTP_ERRORS.endpoint_removed,
    `This operation will be removed, and is away until ${until.toISOString()}. Use ${replacement} instead.`,
  );

export const internalError = (cause: unknown) => fixedError(HTTP_ERRORS.internal_error, {}, cause);

export const serviceUnavailable = (message: string) =>
  new ApiError(HTTP_ERRORS.service_unavailable, message, RETRY_SOON);

/** 503: more work arrives than is finished. */
export const overloaded = () => serviceUnavailable('The service is overloaded. Please try again shortly.');
