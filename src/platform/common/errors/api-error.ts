import { HttpException, type HttpExceptionOptions } from '@nestjs/common';
import { redactApiKeys } from '../redact.js';
import type { ErrorKind } from './error-kind.js';

export const MAX_MESSAGE_CHARACTERS = 1_000;

/** The body of every error response: these three fields and no others. */
export interface ErrorBody {
  code: string;
  message: string;
  status: number;
}

/**
 * A failure with a code of its own. `message` is for people: it names the field at fault, what was expected and what was
 * received; never a stack, SQL, a key or a file path. It holds at most 1,000 characters. `headers` are sent with the response.
 * `options.status`: for a kind that has no status of its own.
 */
export class ApiError extends HttpException {
  readonly code: string;

  constructor(
    kind: ErrorKind,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    options: HttpExceptionOptions & { status?: number } = {},
  ) {
    const status = options.status ?? (kind.status === '4xx' ? 400 : kind.status);
    // A message repeats received text, which may be a key in the wrong place.
    super({ code: kind.code, message: shortened(redactApiKeys(message)), status }, status, options);
    this.code = kind.code;
  }

  override getResponse(): ErrorBody {
    return super.getResponse() as ErrorBody;
  }
}

/** An error that always has the message of its example. */
export const fixedError = (kind: ErrorKind, headers?: Readonly<Record<string, string>>, cause?: unknown) =>
  new ApiError(kind, kind.example, headers, { cause });

function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS - 1).toWellFormed()}…`;
}
