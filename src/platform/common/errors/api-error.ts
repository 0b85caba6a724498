import { redactApiKeys } from '../redact.js';
import { ERRORS, type ErrorCode } from './errors.js';

export type { ErrorCode } from './errors.js';

export const MAX_MESSAGE_CHARACTERS = 1_000;

/** The body of every error response: these three fields and no others. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  status: number;
}

/**
 * A failure that becomes an error response. `message` is for people: it names the field at fault, what was expected and what was
 * received; never a stack, SQL, a key or a file path. It holds at most 1,000 characters. `headers` are sent with the response.
 */
export class ApiError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    options?: ErrorOptions,
  ) {
    // A message repeats received text, which may be a key in the wrong place.
    super(shortened(redactApiKeys(message)), options);
    this.name = 'ApiError';
    this.status = ERRORS[code].status;
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message, status: this.status };
  }
}

/** An error that always has the message of its example. */
export const fixedError = (code: ErrorCode, headers?: Readonly<Record<string, string>>, cause?: unknown) =>
  new ApiError(code, ERRORS[code].example, headers, { cause });

function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS - 1).toWellFormed()}…`;
}

/** Wrong input to a command. The message is one line for the operator. */
export class RefusedInputError extends Error {
  override readonly name: string = 'RefusedInputError';
}
