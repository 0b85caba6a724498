import { fixedError, RefusedInputError } from '../platform/common/errors/api-error.js';
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

export const readOnlyKey = () => fixedError('read_only_key');

export const keyNotFound = (id: string) =>
  new RefusedInputError(`There is no key with the id ${describeValue(id)}.`);
