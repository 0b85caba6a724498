/** What went wrong before an answer came. A partner sees this word, never the text of an answer or of an error. */
export const ATTEMPT_ERRORS = [
  'timeout',
  'dns',
  'blocked_address',
  'connect',
  'tls',
  'bad_response',
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** What came back from an endpoint. */
export interface Outcome {
  /** The HTTP status; null: no answer came. */
  status: number | null;
  /** null: an answer came, whatever its status. */
  error: AttemptError | null;
  durationMs: number;
  /** How long the endpoint asks to wait, by `Retry-After`. */
  retryAfterMs?: number;
}

/** Everything but a 2xx is a failure. */
export const isDelivered = ({ status }: Pick<Outcome, 'status'>) =>
  status !== null && status >= 200 && status < 300;
