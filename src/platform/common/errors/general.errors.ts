import { STATUS_CODES } from 'node:http';
import type { HttpException } from '@nestjs/common';
import { ApiError, fixedError } from './api-error.js';
import { RETRY_SOON } from './common.errors.js';
import { declareErrors, type ErrorKind } from './error-kind.js';
import { HTTP_ERRORS } from './http.errors.js';

/** The codes of Nest's own exceptions, which have a status and a message only. */
export const GENERAL_ERRORS = declareErrors({
  unauthorized: {
    status: 401,
    when: 'The operation does not accept the credentials, for a reason that the message names.',
    remedy: 'Do as the message says. Do not retry with the same credentials.',
    example: 'Unauthorized',
  },
  forbidden: {
    status: 403,
    when: 'The operation is not allowed to this caller, for a reason that the message names.',
    remedy: 'Do as the message says. Repeating the request does not help.',
    example: 'Forbidden',
  },
  not_found: {
    status: 404,
    when: 'Something that the request names does not exist. The message says what.',
    remedy: 'Check the ids in the request.',
    example: 'Not Found',
  },
  conflict: {
    status: 409,
    when: 'The current state does not allow the request. The message says why.',
    remedy: 'Read the current state and decide again. Repeating the request does not help.',
    example: 'Conflict',
  },
  unprocessable: {
    status: 422,
    when: 'The request is well-formed, and its content cannot be used. The message says why.',
    remedy: 'Correct what the message names.',
    example: 'Unprocessable Entity',
  },
  request_failed: {
    status: '4xx',
    when: 'The request is refused with a status that no other code has. The message says why.',
    remedy: 'Go by the status and the message.',
    example: "I'm a teapot",
  },
});

const BY_STATUS: Partial<Record<number, ErrorKind>> = {
  400: HTTP_ERRORS.bad_request,
  401: GENERAL_ERRORS.unauthorized,
  403: GENERAL_ERRORS.forbidden,
  404: GENERAL_ERRORS.not_found,
  409: GENERAL_ERRORS.conflict,
  422: GENERAL_ERRORS.unprocessable,
};

/** An exception of Nest with its status and its message, and the general code of that status. Of a failure nothing is told. */
export function fromHttpException(exception: HttpException): ApiError {
  const status = exception.getStatus();
  if (status >= 400 && status < 500)
    return new ApiError(
      BY_STATUS[status] ?? GENERAL_ERRORS.request_failed,
      messageOf(exception),
      {},
      { status },
    );
  if (status < 500 || status > 599) return fixedError(HTTP_ERRORS.internal_error, {}, exception);
  const { internal_error: kind } = HTTP_ERRORS;
  const headers = status === 503 ? RETRY_SOON : {};
  return new ApiError(kind, kind.example, headers, { status, cause: exception });
}

/** Nest's own pipes give a list of messages. */
function messageOf(exception: HttpException): string {
  const response = exception.getResponse();
  const given: unknown = typeof response === 'object' && 'message' in response ? response.message : undefined;
  const isList = Array.isArray(given) && given.every((text) => typeof text === 'string');
  const message = isList ? given.join('; ') : exception.message;
  return message === '' ? (STATUS_CODES[exception.getStatus()] ?? 'The request failed.') : message;
}
