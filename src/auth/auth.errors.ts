import { ApiError, fixedError } from '../platform/common/errors/api-error.js';
import { declareErrors } from '../platform/common/errors/error-kind.js';
import { describeValue } from '../platform/common/describe-value.js';
import { onStatus, textSchema, type ResponseHeader } from '../platform/http/responses/response-headers.js';
import type { Access } from './access.js';

export const AUTH_ERRORS = declareErrors({
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
  outdated_secret: {
    status: 403,
    when: 'A secret of the key that is not its newest asks for a rotation of the key.',
    remedy:
      'Rotate with the newest secret. When it is lost, ask the operator: an admin key rotates with `POST /v1/keys/{keyId}/rotate`, the command line with `keys rotate`. This secret works on until its own end.',
    example: 'The secret that was sent is not the newest of its key. Only the newest one rotates the key.',
  },
  key_not_found: {
    status: 404,
    when: 'No key has this id. An id in the path that is neither a UUID nor `me` gets the same answer.',
    remedy: 'Check the id. `GET /v1/keys` lists all keys.',
    example: 'There is no key with the id "c9e9cb7c-0000-4000-8000-000000000000".',
  },
});

const CHALLENGE = 'Bearer realm="animal-store"';

export const AUTHENTICATE = {
  name: 'WWW-Authenticate',
  description: 'How to authenticate (RFC 6750).',
  schema: textSchema(128),
  example: CHALLENGE,
  isHidden: true,
  on: onStatus(401),
} as const satisfies ResponseHeader;

// Created once, because they never differ and requests without a key should be cheap.
const MISSING_API_KEY = fixedError(AUTH_ERRORS.missing_api_key, { [AUTHENTICATE.name]: CHALLENGE });
const INVALID_API_KEY = fixedError(AUTH_ERRORS.invalid_api_key, {
  [AUTHENTICATE.name]: `${CHALLENGE}, error="invalid_token"`,
});

export const missingApiKey = () => MISSING_API_KEY;

/** One response for every invalid key, so that a caller cannot find out which keys exist. */
export const invalidApiKey = () => INVALID_API_KEY;

/** `required`: what the operation takes; `held`: what the key has. */
export const insufficientAccess = (required: Access, held: Access) =>
  new ApiError(
    AUTH_ERRORS.insufficient_access,
    `This operation takes a key with ${required} access. This key has ${held} access.`,
  );

const OUTDATED_SECRET = fixedError(AUTH_ERRORS.outdated_secret);

/** A secret that was replaced may be in wrong hands, and must not lock the holder of the newest one out. */
export const outdatedSecret = () => OUTDATED_SECRET;

/** An admin key that leaks must not become two. */
export const noAdminOverHttp = () =>
  new ApiError(
    AUTH_ERRORS.insufficient_access,
    'Keys with admin access are issued and changed with the keys command only. Over HTTP such a key rotates itself, and no other.',
  );

/** `id`: also the text of a path parameter that is not a UUID. */
export const keyNotFound = (id: string) =>
  new ApiError(AUTH_ERRORS.key_not_found, `There is no key with the id ${describeValue(id)}.`);
