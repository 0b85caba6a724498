import { DatabaseError } from 'pg';
import { serviceUnavailable } from '../common/errors/common.errors.js';
import type { ApiError } from '../common/errors/api-error.js';

const RETRY_AFTER_SECONDS = 1;

/** SQLSTATE classes and codes that say something about the server, not about the statement. */
const SERVER_TROUBLE = /^(?:08|28|3D|53|57P|57014|58|25006|XX|55P03|40001|40P01)/;
/** What Node says of a connection that cannot be had. */
const NETWORK_TROUBLE = /^(?:ECONN|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|EACCES)/;
/** What `pg` says in words only. */
const DRIVER_TROUBLE =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|not queryable/;

/** 503: the database is away or will not answer now; nothing is wrong with the request. */
export const databaseUnavailable = (cause?: unknown): ApiError =>
  serviceUnavailable('The database cannot be reached. Please try again shortly.', RETRY_AFTER_SECONDS, cause);

/** 503: more is asked of the database than it gets done. */
export const overloaded = (): ApiError =>
  serviceUnavailable('The service is overloaded. Please try again shortly.', RETRY_AFTER_SECONDS);

/** Is it the database that failed, as opposed to the statement it was given? */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseError) return SERVER_TROUBLE.test(error.code ?? '');
  const { code } = error as NodeJS.ErrnoException;
  return NETWORK_TROUBLE.test(code ?? '') || DRIVER_TROUBLE.test(error.message);
}

/** Does the server answer, and refuse the service (wrong password, no such database)? Waiting will not help. */
export function isRefusedByServer(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:28|3D)/.test(error.code ?? '');
}

/** The service cannot start on this database; the message is one line for the operator. */
export class DatabaseStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseStartError';
  }
}
