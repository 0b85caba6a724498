import { Logger } from '@nestjs/common';
import { serviceUnavailable } from '../common/errors/common.errors.js';
import type { ApiError } from '../common/errors/api-error.js';
import {
  DatabaseUnavailableError,
  isReadOnly,
  isTooSlow,
  isUnprepared,
  isWorkerAway,
} from './database.errors.js';

const PARTIAL_LOG_EVERY_MS = 60_000;

/** Turns failures of the database into 503, and logs an outage once instead of once a request. */
export class Availability {
  private readonly logger = new Logger('Database');
  private isAway = false;
  private takesWrites = true;
  /** When each warning about a part of the requests was last logged. */
  private readonly partialLoggedAtMs = new Map<string, number>();

  /** A statement was answered. */
  answered(): void {
    if (this.isAway) this.logger.log('the database answers again');
    this.isAway = false;
  }

  /** A server that takes writes was asked. */
  writable(): void {
    if (!this.takesWrites) this.logger.log('the database takes writes again');
    this.takesWrites = true;
  }

  readOnly(reason: string, cause?: unknown): ApiError {
    if (this.takesWrites)
      this.logger.warn({ reason }, 'the database takes no writes: the service is not ready');
    this.takesWrites = false;
    return serviceUnavailable(`The database takes no writes: ${reason}.`, cause);
  }

  /** The 503 for an error of the database. */
  failed(error: unknown): ApiError {
    if (isReadOnly(error)) return this.readOnly('a write was refused', error);
    if (isWorkerAway(error)) this.warnOfPart('a worker of the database is away', error);
    else if (isTooSlow(error)) this.warnOfPart('the database is too slow for some statements', error);
    else if (isUnprepared(error)) this.warnOfPart('a statement could not be prepared', error);
    else {
      if (!this.isAway) this.logger.warn({ err: error }, 'the database is away');
      this.isAway = true;
    }
    return new DatabaseUnavailableError(error);
  }

  /** Other requests succeed meanwhile, so the end is not noticed. */
  warnOfPart(what: string, err: unknown): void {
    const nowMs = performance.now();
    if (nowMs < (this.partialLoggedAtMs.get(what) ?? -Infinity) + PARTIAL_LOG_EVERY_MS) return;
    this.partialLoggedAtMs.set(what, nowMs);
    this.logger.warn({ err }, what);
  }
}
