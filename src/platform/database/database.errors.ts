import { DatabaseError } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { ApiError } from '../common/errors/api-error.js';
import { RETRY_SOON } from '../common/errors/common.errors.js';

/** SQLSTATE classes and codes of a server or a connection in trouble, as opposed to a statement that is wrong. */
const SERVER_TROUBLE = /^(?:08|26000|28|3D|53|57P|57014|58|25006|25P0[34]|XX|55P03|40001|40P01|42P05)/;
/** Node's codes for a connection that cannot be opened or is lost. */
const NETWORK_TROUBLE = /^(?:ECONN|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|EACCES)/;
/** Errors of `pg` that have a message and no code. */
const DRIVER_TROUBLE =
  /Connection terminated|timeout expired|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|not queryable/;

/** All connections of the pool are in use. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect';

/** 503: the database is away or too slow; nothing is wrong with the request. */
export class DatabaseUnavailableError extends ApiError {
  constructor(cause?: unknown) {
    super('service_unavailable', 'The database cannot be reached. Please try again shortly.', RETRY_SOON, {
      cause,
    });
  }
}

/** Whether an error is a 503, such as `DatabaseUnavailableError`. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'service_unavailable';
}

/** Whether the database failed, as opposed to the statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (!(error instanceof Error)) return false;
  if (error instanceof QueryFailedError) return isDatabaseAway(error.driverError);
  // TypeORM gives up a connection that is lost between two statements.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof DatabaseError) return SERVER_TROUBLE.test(error.code ?? '');
  const { code } = error as NodeJS.ErrnoException;
  return NETWORK_TROUBLE.test(code ?? '') || DRIVER_TROUBLE.test(error.message) || isTooSlow(error);
}

/** The database answers that a server behind it, such as a worker of Citus, does not. */
export const isWorkerAway = hasSqlState(/^08/);

const exceedsTimeout = hasSqlState(/^(?:57014|55P03)/);

/** The database answers, but this statement took too long, or waited too long for a lock or for a connection of the pool. */
export function isTooSlow(error: unknown): boolean {
  return exceedsTimeout(error) || (error instanceof Error && error.message.includes(POOL_TIMEOUT));
}

/**
 * The statement did not run, because it was sent behind one whose preparation failed: it does not find its prepared statement, or
 * prepares it twice.
 */
export const isUnprepared = hasSqlState(/^(?:26000|42P05)/);

/** The database refused a write, because it is a standby or read-only. */
export const isReadOnly = hasSqlState(/^25006/);

/** The server has no connection left, for the service's role or for anybody. */
export const hasNoConnectionLeft = hasSqlState(/^53300/);

/** The server answers and refuses the service (password, name, parameters of the connection), so that waiting does not help. */
export const isRefusedByServer = hasSqlState(/^(?:28|3D|08P01)/);

function hasSqlState(pattern: RegExp) {
  return (error: unknown): boolean => {
    const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
    return cause instanceof DatabaseError && pattern.test(cause.code ?? '');
  };
}

/** Whether a statement has no result because its connection is lost, or because it is unprepared. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return isUnprepared(error) || /^(?:08|57P0)/.test(error.code ?? '');
  return (
    error instanceof Error && /Connection terminated|connection error|ECONNRESET|EPIPE/.test(error.message)
  );
}

/** The service cannot start on this database; the message is one line for the operator. */
export class DatabaseStartError extends Error {
  override readonly name = 'DatabaseStartError';
}
