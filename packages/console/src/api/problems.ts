import { ApiError, ConnectionError, UnexpectedAnswerError } from 'animal-store-client';
import { HttpError } from 'react-admin';

const SENTENCES: Partial<Record<string, string>> = {
  invalid_api_key: 'The service does not accept this key: it is mistyped, was revoked, or has expired.',
  pet_not_found: 'There is no such animal any more.',
  order_not_found: 'There is no such order, or it belongs to somebody else.',
  key_not_found: 'There is no such key.',
  webhook_not_found: 'There is no such webhook any more, or it belongs to somebody else.',
  route_not_found: 'This service does not offer this: its operator has switched it off.',
  pet_not_available: 'The animal is not available: somebody else was faster, or it is sold.',
  pet_has_open_order: 'The animal has an open order. Deliver or cancel the order first.',
  precondition_failed: 'Somebody else changed this meanwhile.',
  service_unavailable: 'The service is busy or its database is away. Try again in a moment.',
  internal_error: 'The service failed. Try again; if it stays, tell the operator the request id.',
};

/** A sentence for people about what went wrong. */
export function sentenceOf(error: unknown): string {
  if (error instanceof HttpError) return sentenceOf((error.body as { cause?: unknown }).cause);
  if (error instanceof ConnectionError)
    return 'The service cannot be reached. Check the network and try again.';
  if (error instanceof UnexpectedAnswerError)
    return `Something between this page and the service answered (status ${String(error.status)}). Try again.`;
  if (error instanceof ApiError) {
    if (error.status === 429) return limitSentence(error);
    return SENTENCES[error.code] ?? `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}`;
  }
  return error instanceof Error ? error.message : String(error);
}

function limitSentence({ code, retryAfterMs = 0 }: ApiError): string {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const wait = seconds < 120 ? `${String(seconds)} s` : `${String(Math.ceil(seconds / 60))} min`;
  return code === 'api_key_banned'
    ? `This key is banned for too many refused requests. The ban ends in ${wait}.`
    : `This key is out of requests. It has some again in ${wait}.`;
}

/**
 * The error as react-admin takes it: with a sentence, and with the problem of each of these fields that the service's message names
 * (`name: expected …, got …; status: …`), to be shown beside the field.
 */
export function httpErrorOf(error: unknown, fields: readonly string[] = []): HttpError {
  const status = error instanceof ApiError || error instanceof UnexpectedAnswerError ? error.status : 0;
  const errors: Record<string, unknown> = {};
  if (error instanceof ApiError && error.code === 'invalid_body') {
    for (const field of fields) {
      const problem = new RegExp(`(?:^|[\\s;])${field}: ([^;]*)`).exec(error.message)?.[1];
      if (problem !== undefined) errors[field] = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`;
    }
    if (Object.keys(errors).length > 0) errors.root = { serverError: 'ra.message.invalid_form' };
  }
  return new HttpError(sentenceOf(error), status, {
    cause: error,
    ...(Object.keys(errors).length > 0 && { errors }),
  });
}

/** The code of an error of the service; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  const cause: unknown = error instanceof HttpError ? (error.body as { cause?: unknown }).cause : error;
  return cause instanceof ApiError ? cause.code : undefined;
}
