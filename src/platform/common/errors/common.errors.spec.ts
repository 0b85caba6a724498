import { expect, it } from '@jest/globals';
import { parseJson } from '../json.js';
import * as common from './common.errors.js';
import { HTTP_ERRORS } from './http.errors.js';

const CASES: [keyof typeof HTTP_ERRORS, () => Error][] = [
  ['malformed_json', () => thrownBy(() => parseJson(Buffer.from('{"a": 1x')))],
  ['invalid_cursor', () => common.invalidCursor('abc')],
  ['method_not_allowed', () => common.methodNotAllowed('PUT', ['GET', 'HEAD', 'POST'])],
  ['invalid_status_transition', () => common.invalidStatusTransition('status', 'sold', 'available')],
  ['endpoint_removed', () => common.endpointRemoved('GET /replacement')],
  [
    'precondition_failed',
    () => common.ifMatchFailed('"AAAAAAAAAAAAAAAAAAAAAAAAAAA"', '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
  ],
];

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was refused');
}

it.each(CASES)('%s has the message of its example', (code, errorOf) => {
  expect(errorOf().message).toBe(HTTP_ERRORS[code].example);
});
