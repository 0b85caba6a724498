import { ConnectionError } from './errors.js';
import { readExactly } from './exact-response.js';
import { retryAfterMsOf, retryDelayMs } from './retry-delay.js';
import type { Timer } from './timer.js';

export interface RetryOptions {
  fetch: typeof globalThis.fetch;
  /** How often a request is repeated at most. */
  maxRetries: number;
  /** Where the service asks for a longer pause, its refusal is the answer. */
  maxRetryAfterMs: number;
  /** How long one attempt may take. */
  timeoutMs: number;
  timer: Timer;
  /** Sees every answer, those that are retried too. */
  onAnswer: (response: Response) => void;
}

/**
 * A fetch that repeats what may pass later: 429, 503, `idempotency_key_in_use`, and attempts without an answer. Every
 * repeat has the same bytes and the same headers, so an Idempotency-Key makes it safe for a POST.
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
        if (isLast || !mayPassLater(outcome) || retryAfterMs > maxRetryAfterMs) return outcome;
      } else if (isLast) {
        throw noAnswer(request, retry + 1, outcome.cause);
      }
      await timer.wait(retryDelayMs(retry, retryAfterMs, timer.random()), request.signal);
    }
  };
}

/** The whole answer, or why there is none. Rejects only when the caller has cancelled. */
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

/** Of all 409s only `idempotency_key_in_use` says when to come back. */
function mayPassLater({ status, headers }: Response): boolean {
  return status === 429 || status === 503 || (status === 409 && headers.has('retry-after'));
}

function noAnswer({ method, url }: Request, attempts: number, cause: unknown): ConnectionError {
  const { origin, pathname } = new URL(url);
  const times = attempts === 1 ? '1 attempt' : `${attempts.toString()} attempts`;
  return new ConnectionError(`${method} ${origin}${pathname}: no answer in ${times}${hintOfCors(origin)}`, {
    cause,
  });
}

/** A browser hides from a page why it got no answer from another origin. */
function hintOfCors(origin: string): string {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin;
  if (page === undefined || page === origin) return '';
  return `. In a browser this may be CORS: the service must name ${page} in CORS_ORIGINS`;
}
