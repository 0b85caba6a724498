import { Logger } from '@nestjs/common';

const LOG_EVERY_MS = 60_000;
const logger = new Logger('Database');
const loggedAtMs = new Map<string, number>();

/** Logs a problem of the database once a minute while it lasts, instead of once a request. */
export function logDatabaseProblem(problem: string, details: object): void {
  const nowMs = performance.now();
  if (nowMs < (loggedAtMs.get(problem) ?? -Infinity) + LOG_EVERY_MS) return;
  loggedAtMs.set(problem, nowMs);
  logger.warn(details, problem);
}
