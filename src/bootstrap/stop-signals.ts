export type StopSignal = 'SIGTERM' | 'SIGINT';

let handler: ((signal: StopSignal) => void) | undefined;

/**
 * Handles SIGTERM and SIGINT with `stop` from now on. A later call replaces `stop` and keeps the listeners, because a signal that
 * arrives while modules load is delivered later, and is lost if its listener is removed meanwhile.
 */
export function onStopSignals(stop: (signal: StopSignal) => void): void {
  const isFirst = handler === undefined;
  handler = stop;
  if (!isFirst) return;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => handler?.(signal));
}
