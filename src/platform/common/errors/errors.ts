import { MAX_BODY_BYTES, MAX_HEADER_BYTES } from '../size-limits.js';

/** One kind of error, for the response, the OpenAPI document and docs/errors.md. */
interface ErrorRow {
  status: number;
  /** When it happens. */
  when: string;
  /** What the caller should do. */
  remedy: string;
  /** A message as a caller sees it. An error that always has the same message has this one. */
  example: string;
}

/**
 * Every code an error response can carry. A code whose message varies has a function in the `*.errors.ts` of its feature, and each
 * is named by the `@Operation`s that answer it. After a change run `npm run errors`, which writes docs/errors.md.
 */
export const ERRORS = {
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
    when: 'A query parameter breaks its bounds, is unknown, or is given more than once. Only `ids` may be repeated.',
    remedy:
      'Correct the parameters that the message names: all known ones with a mistake, and up to five unknown ones.',
    example: 'limit: expected an integer from 1 to 100, got "500"',
  },
  invalid_cursor: {
    status: 400,
    when: 'The cursor is cut or mistyped, or it belongs to other filters or to another operation.',
    remedy:
      'Take the cursor from `X-Next-Cursor` or `Link` as it is, and keep the filters the same while paging. Otherwise start again without a cursor. Only `limit` may change between pages.',
    example:
      'cursor: expected a value from the X-Next-Cursor or Link header of this operation with the same filters, got "abc"',
  },
  invalid_idempotency_key: {
    status: 400,
    when: '`Idempotency-Key` is empty, longer than 255 characters, or not printable ASCII.',
    remedy: 'Send a key of 1 to 255 printable ASCII characters. A UUID fits.',
    example: 'Idempotency-Key: expected 1 to 255 printable ASCII characters, once, got an empty string',
  },
  bad_request: {
    status: 400,
    when: 'The request breaks the rules of HTTP itself: a broken percent escape in the path or query, no `Host` header or several, or bad framing.',
    remedy:
      'Correct the HTTP client, or the code that builds the URL. This is found before the key is read, and the request is not counted.',
    example: 'The request target holds a percent escape that is not valid UTF-8 in hexadecimal.',
  },
  missing_api_key: {
    status: 401,
    when: 'The request has no `Authorization` header.',
    remedy:
      'Send `Authorization: Bearer <API_KEY>`. The answer carries `WWW-Authenticate: Bearer realm="animal-store"`.',
    example: 'An API key is required: send it as "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: {
    status: 401,
    when: 'The `Authorization` header is not valid: not a bearer token, malformed, unknown, revoked or expired. All of these get the same answer.',
    remedy:
      'Check that the key was copied whole. Otherwise ask the operator for another key. Do not retry with the same key. The answer carries `WWW-Authenticate: Bearer realm="animal-store", error="invalid_token"`.',
    example: 'The API key is not valid.',
  },
  insufficient_access: {
    status: 403,
    when: 'The access of the key does not allow the operation. Access is a ladder: `read`, `order`, `manage`, `admin`. The message names the access that the operation takes. Over HTTP no key with `admin` access is issued or changed, except that it rotates itself.',
    remedy: 'Use a key with that access, or ask the operator to raise the access of this key.',
    example: 'This operation takes a key with manage access. This key has read access.',
  },
  pet_not_found: {
    status: 404,
    when: 'No animal has this id. An id in the path that is not an int64 gets the same answer: `/v1/pets/abc`, `/v1/pets/1.5`.',
    remedy: 'Treat the animal as absent. It may have been there before.',
    example: 'There is no animal with the id 42.',
  },
  order_not_found: {
    status: 404,
    when: 'No order has this id, the id is not an int64, or the order belongs to another key.',
    remedy: 'Check the id, and use the key that placed the order.',
    example: 'There is no order with the id 42.',
  },
  key_not_found: {
    status: 404,
    when: 'No key has this id. An id in the path that is neither a UUID nor `me` gets the same answer.',
    remedy: 'Check the id. `GET /v1/keys` lists all keys.',
    example: 'There is no key with the id "c9e9cb7c-0000-4000-8000-000000000000".',
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
  pet_not_available: {
    status: 409,
    when: 'An order names an animal that is pending or sold.',
    remedy: 'Choose another animal. This one becomes available again only if its order is cancelled.',
    example: 'The animal 42 is not available: it is pending.',
  },
  pet_has_open_order: {
    status: 409,
    when: 'The request deletes an animal that has an open order, or changes its status.',
    remedy: 'Deliver or cancel the order first.',
    example:
      'The animal 42 is reserved by an open order: it can be neither deleted nor given another status.',
  },
  invalid_status_transition: {
    status: 409,
    when: 'The current state does not allow this change: of an animal, such as from sold to available, of an order, such as delivering one that is not approved, or of a key, such as rotating a revoked one.',
    remedy: 'Read the current state and decide again. Repeating the request does not help.',
    example: 'status: sold cannot become available.',
  },
  idempotency_key_in_use: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is still running.',
    remedy:
      'Send the same request again after `Retry-After`, which is 1 second. It then gets the answer of the first.',
    example: 'The first request with this Idempotency-Key is still running.',
  },
  endpoint_removed: {
    status: 410,
    when: 'getPet was called after its removal. The operator removes it with `ENFORCE_SUNSET=true`, which is meant for the time after the date in `Sunset`.',
    remedy: 'Use `GET /v1/pets?ids=...` for animals whose ids you know, or `GET /v1/pets?status=available`.',
    example: 'This operation has been removed. Use GET /pets?status=available instead.',
  },
  precondition_failed: {
    status: 412,
    when: '`If-Match` does not hold the current `ETag` of the animal, order or key, or `If-None-Match` holds it. Nothing was changed.',
    remedy:
      'Send the change again with the `ETag` of the current state. `GET /v1/pets?ids=42` with one id returns that of the animal; createPet, updatePet and the operations of one order or one key return it too. The `ETag` of any other list belongs to the page. A tag with `W/` or `-gzip` was changed by a proxy that compresses: send it without them, or let the proxy leave responses under `/v1` as they are.',
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
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was used before with another request. Two requests are the same when their method, path, query and body bytes are equal.',
    remedy: 'Use a fresh key for every new request. Repeat a request byte for byte.',
    example:
      'This Idempotency-Key was used with another request: method, path, query and body must be the same.',
  },
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
} as const satisfies Record<string, ErrorRow>;

/** Closed within a release. */
export type ErrorCode = keyof typeof ERRORS;
