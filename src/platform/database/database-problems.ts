import { Injectable, Logger } from '@nestjs/common';
import { DatabaseUnavailableError, problemOf } from './database.errors.js';

const LOG_EVERY_MS = 60_000;

/** Logs a problem of the database once a minute while it lasts, instead of once a request. */
@Injectable()
export class DatabaseProblems {
  private readonly logger = new Logger('Database');
  private readonly loggedAtMs = new Map<string, number>();

  log(problem: string, details: object): void {
    const nowMs = performance.now();
    if (nowMs < (this.loggedAtMs.get(problem) ?? -Infinity) + LOG_EVERY_MS) return;
    this.loggedAtMs.set(problem, nowMs);
    this.logger.warn(details, problem);
  }

  /** The 503 for an error of the database. */
  failed(error: unknown): DatabaseUnavailableError {
    this.log(problemOf(error), { err: error });
    return new DatabaseUnavailableError(error);
  }
}
