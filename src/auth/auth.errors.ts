import { ApiError } from '../common/errors/api-error.js';
import { describeValue } from '../common/validation/describe-value.js';

const CHALLENGE = 'Bearer realm="animal-store"';

export const missingApiKey = () =>
  new ApiError('missing_api_key', 'An API key is required: send it as "Authorization: Bearer <API_KEY>".', {
    'WWW-Authenticate': CHALLENGE,
  });

/** One answer for every way a key can fail, so that nobody learns which keys exist. */
export const invalidApiKey = () =>
  new ApiError('invalid_api_key', 'The API key is not valid.', {
    'WWW-Authenticate': `${CHALLENGE}, error="invalid_token"`,
  });

export const readOnlyKey = () => new ApiError('read_only_key', 'This API key may only read.');

/** A command's input is wrong; the message is one line for the person who typed it. */
export class KeyRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KeyRefusedError';
  }
}

export class KeyNotFoundError extends KeyRefusedError {
  constructor(id: string) {
    super(`There is no key with the id ${describeValue(id)}.`);
    this.name = 'KeyNotFoundError';
  }
}
