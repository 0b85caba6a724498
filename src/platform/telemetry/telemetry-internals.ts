import { format } from 'node:util';
import type { Logger } from 'pino';

/** ioredis 6.0 reports some problems on the console only, for example a sentinel that is away. They become lines of the log. */
export function sendConsoleToLog(logger: Logger): void {
  const warn = (...args: unknown[]) =>
    logger.warn({ detail: format(...args) }, 'a library reports a problem');
  Object.assign(console, { warn, error: warn });
}
