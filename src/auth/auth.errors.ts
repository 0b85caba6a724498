import type { Access } from '../platform/common/access.js';
import { ApiError, fixedError } from '../platform/common/errors/api-error.js';
import { describeValue } from '../platform/common/describe-value.js';
import { onStatus, text, type ResponseHeader } from '../platform/http/responses/response-headers.js';

const CHALLENGE = 'Bearer realm="animal-store"';

export const AUTHENTICATE = {
  name: 'WWW-Authenticate',
  description: 'How to authenticate (RFC 6750).',
  schema: text(128),
  example: CHALLENGE,
  isHidden: true,
  on: onStatus(401),
} as const satisfies ResponseHeader;

// Created once, because they never differ and requests without a key should be cheap.
const MISSING_API_KEY = fixedError('missing_api_key', { [AUTHENTICATE.name]: CHALLENGE });
const INVALID_API_KEY = fixedError('invalid_api_key', {
  [AUTHENTICATE.name]: `${CHALLENGE}, error="invalid_token"`,
});

export const missingApiKey = () => MISSING_API_KEY;

/** One response for every invalid key, so that a caller cannot find out which keys exist. */
export const invalidApiKey = () => INVALID_API_KEY;

/** `required`: what the operation takes; `held`: what the key has. */
export const insufficientAccess = (required: Access, held: Access) =>
  new ApiError(
    'insufficient_access',
    `This operation takes a key with ${required} access. This key has ${held} access.`,
  );

/** An admin key that leaks must not become two. */
export const noAdminOverHttp = () =>
  new ApiError(
    'insufficient_access',
    'Keys with admin access are issued and changed with the keys command only. Over HTTP such a key rotates itself, and no other.',
  );

/** `id`: also the text of a path parameter that is not a UUID. */
export const keyNotFound = (id: string) =>
  new ApiError('key_not_found', `There is no key with the id ${describeValue(id)}.`);
