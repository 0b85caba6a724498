import { ConnectionError, UnexpectedAnswerError } from './errors.js';
import { retryAfterMsOf } from './headers.js';
import { parseJson } from './json.js';
import type { Timer } from './timer.js';

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

export interface RetryOptions {
  fetch: typeof globalThis.fetch;
  /** The most repeats of a request. */
  maxRetries: number;
  /** A refusal that asks for a longer wait is returned at once. */
  maxRetryAfterMs: number;
  /** How long one attempt may take. */
  timeoutMs: number;
  timer: Timer;
  /** Called with every answer, including those that are retried. */
  onAnswer: (response: Response) => void;
}

/**
 * A fetch that repeats a request after 429. One that may be repeated is sent again after 502, 503, 504, `idempotency_key_in_use` and
 * attempts without an answer too: a proxy or a lost connection does not say whether the service has acted. Every repeat has the
 * same bytes and headers, so its Idempotency-Key makes the repeat of a POST safe.
 */
export function retryingFetch(options: RetryOptions): (request: Request) => Promise<Response> {
  const { maxRetries, maxRetryAfterMs, timer } = options;
  return async (request) => {
    const body = (await request.text()) || undefined;
    for (let retry = 0; ; retry++) {
      const isLast = retry >= maxRetries;
      const outcome = await attempt(request, body, options);
      let retryAfterMs = 0;
      if (outcome instanceof Response) {
        retryAfterMs = retryAfterMsOf(outcome, timer.nowMs()) ?? 0;
        if (isLast || !mayPassLater(request, outcome) || retryAfterMs > maxRetryAfterMs) return outcome;
      } else if (isLast || !isRepeatable(request)) {
        throw noAnswer(request, retry + 1, outcome.cause);
      }
      await timer.wait(retryDelayMs(retry, retryAfterMs, timer.random()), request.signal);
    }
  };
}

/** The whole answer, or the reason why there is none. Rejects only when the caller has cancelled. */
async function attempt(
  { url, method, headers, signal }: Request,
  body: string | undefined,
  { fetch, timeoutMs, timer, onAnswer }: RetryOptions,
): Promise<Response | { cause: unknown }> {
  signal.throwIfAborted();
  const either = AbortSignal.any([signal, timer.timeout(timeoutMs)]);
  try {
    const response = await fetch(url, { method, headers, signal: either, ...(body && { body }) });
    onAnswer(response);
    return await readExactly(response);
  } catch (cause) {
    signal.throwIfAborted();
    return { cause };
  }
}

/** Reads the answer to its end; its `json()` is exact. Rejects when the connection ends before the answer does. */
async function readExactly(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete('content-encoding');
  // openapi-fetch leaves out an empty body, and reads one of unknown length with JSON.parse instead of json().
  headers.set('content-length', body.byteLength.toString());
  const read = new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
  return Object.assign(read, { json: () => jsonOf(read) });
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnexpectedAnswerError(response, text);
    throw error;
  }
}

/** Sent twice it has the effect of once. A POST without a key, such as createKey, has not. */
function isRepeatable({ method, headers }: Request): boolean {
  return method !== 'POST' || headers.has('idempotency-key');
}

const MAY_PASS_LATER = new Set([502, 503, 504]);

/** A 429 was never carried out. Of all 409s only `idempotency_key_in_use` has a Retry-After. */
function mayPassLater(request: Request, { status, headers }: Response): boolean {
  if (status === 429) return true;
  return (
    isRepeatable(request) && (MAY_PASS_LATER.has(status) || (status === 409 && headers.has('retry-after')))
  );
}

/**
 * How long to wait before the retry with this number, from 0: `Retry-After`, and a backoff that doubles with every retry. Half of
 * the backoff is random, so that callers who were refused together do not return together.
 */
export function retryDelayMs(retry: number, retryAfterMs: number, random: number): number {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** retry, LONGEST_BACKOFF_MS);
  return retryAfterMs + (backoffMs * (1 + random)) / 2;
}

function noAnswer({ method, url }: Request, attempts: number, cause: unknown): ConnectionError {
  const { origin, pathname } = new URL(url);
  const times = attempts === 1 ? '1 attempt' : `${attempts.toString()} attempts`;
  return new ConnectionError(`${method} ${origin}${pathname}: no answer in ${times}${hintOfCors(origin)}`, {
    cause,
  });
}

/** A browser does not tell a page why a request to another origin failed. */
function hintOfCors(origin: string): string {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin;
  if (page === undefined || page === origin) return '';
  return `. In a browser this may be CORS: the service must name ${page} in CORS_ORIGINS`;
}
