/** The source of time and random numbers, so that a test can replace it. */
export interface Timer {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Resolves after that time; rejects with the signal's reason as soon as it is aborted. */
  wait(durationMs: number, signal: AbortSignal): Promise<void>;
  /** A signal that is aborted after that time. */
  timeout(durationMs: number): AbortSignal;
}

export const systemTimer: Timer = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  timeout: (durationMs) => AbortSignal.timeout(durationMs),
  wait: (durationMs, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const abort = () => {
        clearTimeout(timeout);
        reject(signal.reason as Error);
      };
      const timeout = setTimeout(() => {
        signal.removeEventListener('abort', abort);
        resolve();
      }, durationMs);
      signal.addEventListener('abort', abort, { once: true });
    }),
};
