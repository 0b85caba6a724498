import { MAX_BODY_BYTES, MAX_HEADER_BYTES } from '../size-limits.js';
import { declareErrors } from './error-kind.js';

/** The errors of requests and responses, whatever the feature. */
export const HTTP_ERRORS = declareErrors({
  malformed_json: {
    status: 400,
    when: 'The body is not JSON. It is also refused when it is not UTF-8, starts with a byte order mark, or has the same key twice in an object.',
    remedy:
      'Correct the body. The message says at which byte the error is. Sending the same bytes again gives the same answer.',
    example: `expected ',' or '}' at byte 7, found "x"`,
  },
  invalid_body: {
    status: 400,
    when: 'The body is missing, or it is JSON that breaks the schema: a required field is missing, a value is wrong, or a field is unknown.',
    remedy:
      'Correct the fields that the message names: all known fields with a mistake, and up to five unknown ones.',
    example: 'categoryId: expected an integer that fits 64 bits, got "seven"',
  },
  invalid_parameter: {
    status: 400,
    when: 'A query parameter breaks its bounds, is unknown, or is given more than once. Only a list may be repeated.',
    remedy:
      'Correct the parameters that the message names: all known ones with a mistake, and up to five unknown ones.',
    example: 'limit: expected an integer from 1 to 100, got "500"',
  },
  invalid_cursor: {
    status: 400,
    when: 'The cursor is cut or mistyped, or it belongs to other filters or to another operation.',
    remedy:
      'Take the cursor from `X-Next-Cursor` or `Link` as it is, and keep the filters the same while paging. Otherwise start again without a cursor. Only `limit` may change between pages, and the `types` of events.',
    example:
      'cursor: expected a value from the X-Next-Cursor or Link header of this operation with the same filters, got "abc"',
  },
  bad_request: {
    status: 400,
    when: 'The request breaks the rules of HTTP itself: a broken percent escape in the path or query, no `Host` header or several, or bad framing.',
    remedy:
      'Correct the HTTP client, or the code that builds the URL. This is found before the key is read, and the request is not counted.',
    example: 'The request target holds a percent escape that is not valid UTF-8 in hexadecimal.',
  },
  route_not_found: {
    status: 404,
    when: 'No operation has this path. A trailing slash makes another path.',
    remedy: 'Check the path. All operations are under `/v1` and are listed at `/docs`.',
    example: 'No operation has this path. The operations are listed at /docs.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
    example: 'This path answers GET, HEAD, POST, not PUT.',
  },
  request_timeout: {
    status: 408,
    when: 'The headers did not arrive within 10 s, or the whole request did not arrive within 30 s. The deadlines are checked at least every 5 s.',
    remedy: 'Send again on a new connection. If it happens often, check the network in between.',
    example: 'The headers must arrive within 10 seconds and the whole request within 30 seconds.',
  },
  invalid_status_transition: {
    status: 409,
    when: 'The current state does not allow this change: what is sold does not become available, what is not approved is not delivered, and what is revoked is not rotated.',
    remedy: 'Read the current state and decide again. Repeating the request does not help.',
    example: 'status: sold cannot become available.',
  },
  endpoint_removed: {
    status: 410,
    when: 'The operation was called after its removal. The operator removes it with `ENFORCE_SUNSET=true`, which is meant for the time after the date in `Sunset`. Before that date it answers so within announced intervals (`SUNSET_BROWNOUTS`), and the message says until when.',
    remedy: 'Call the operation that the message names instead.',
    example: 'This operation has been removed. Use GET /replacement instead.',
  },
  precondition_failed: {
    status: 412,
    when: '`If-Match` does not hold the current `ETag` of the resource, or `If-None-Match` holds it. Nothing was changed.',
    remedy:
      'Send the change again with the `ETag` of the current state. Operations that show one resource return it, and so does a list of exactly one id (`?ids=42`). The `ETag` of any other list belongs to the page. A tag with `W/` or `-gzip` was changed by a proxy that compresses: send it without them, or let the proxy leave responses under `/v1` as they are.',
    example:
      'If-Match: expected "2jmj7l5rSw0yVb_vlWAYkK_YBwk", got "AAAAAAAAAAAAAAAAAAAAAAAAAAA". The state has changed, or the tag is not the one of this resource.',
  },
  body_too_large: {
    status: 413,
    when: 'The body is longer than 64 KiB.',
    remedy: 'Send a shorter body. No valid body comes near this size.',
    example: `The body may be at most ${MAX_BODY_BYTES} bytes long.`,
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not `application/json`, has a charset other than UTF-8, or has a content encoding.',
    remedy: 'Send `Content-Type: application/json`, and do not compress the body.',
    example:
      'The body must be application/json in UTF-8 without a content encoding; got the media type "text/plain".',
  },
  headers_too_large: {
    status: 431,
    when: 'Path, query and headers together are larger than 16 KiB.',
    remedy: 'Send a shorter query, and fewer or shorter headers. The connection is closed after this answer.',
    example: `Path, query and headers may be at most ${MAX_HEADER_BYTES} bytes long together.`,
  },
  internal_error: {
    status: 500,
    when: 'The service failed.',
    remedy:
      'A read may be repeated. Before repeating a write, check whether it took effect. If the error persists, report the `X-Request-Id` of the answer.',
    example: 'The service failed. Please report the X-Request-Id of this answer.',
  },
  service_unavailable: {
    status: 503,
    when: 'The service is overloaded, or its database does not answer. `/health/ready` gives this answer while the service starts or shuts down, too.',
    remedy: 'Wait as `Retry-After` says, then retry. Before repeating a write, check whether it took effect.',
    example: 'The database does not answer. Please try again shortly.',
  },
});
