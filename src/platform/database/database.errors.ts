import { DatabaseError } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { ApiError } from '../common/errors/api-error.js';
import { RETRY_SOON } from '../common/errors/common.errors.js';
import { HTTP_ERRORS } from '../common/errors/http.errors.js';

/** SQLSTATE classes and codes of a server or a connection in trouble, as opposed to a statement that is wrong. */
const SERVER_TROUBLE = /^(?:08|26000|28|3D|53|57P|57014|58|25006|25P0[34]|XX|55P03|40001|40P01|42P05)/;
/** Node's codes for a connection that cannot be opened or is lost. */
const NETWORK_TROUBLE =
  /^(?:ECONN|EMFILE|ENFILE|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|EACCES)/;
/** All connections of the pool are in use. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect';
/** Errors of `pg` that have a message and no code. */
const DRIVER_TROUBLE = new RegExp(
  `Connection terminated|timeout expired|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|not queryable|${POOL_TIMEOUT}`,
);

export const NO_WRITES = 'the database takes no writes: the service is not ready';

/** 503: the database is away or too slow; nothing is wrong with the request. */
export class DatabaseUnavailableError extends ApiError {
  constructor(cause?: unknown) {
    super(
      HTTP_ERRORS.service_unavailable,
      'The database does not answer. Please try again shortly.',
      RETRY_SOON,
      {
        cause,
      },
    );
  }
}

/** Whether the database failed, as opposed to the statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (error instanceof QueryFailedError) return isDatabaseAway(error.driverError);
  // TypeORM gives up a connection that is lost between two statements.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof DatabaseError) return SERVER_TROUBLE.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const { code = '', message } = error as NodeJS.ErrnoException;
  return NETWORK_TROUBLE.test(code) || DRIVER_TROUBLE.test(message);
}

/** What the log says of an error of the database. In all cases but the last the server answers. */
export function problemOf(error: unknown): string {
  const sqlState = sqlStateOf(error);
  if (sqlState === '25006') return NO_WRITES;
  // Such as a worker of Citus.
  if (sqlState.startsWith('08')) return 'a worker of the database is away';
  if (isUnprepared(error)) return 'a statement could not be prepared';
  // It waited too long for a lock, or for a connection of the pool.
  if (/^(?:57014|55P03)/.test(sqlState) || (error as Error).message.includes(POOL_TIMEOUT))
    return 'the database is too slow for some statements';
  return 'the database is away';
}

/**
 * The statement did not run, because it was sent behind one whose preparation failed: it does not find its prepared statement, or
 * prepares it twice.
 */
export const isUnprepared = (error: unknown) => ['26000', '42P05'].includes(sqlStateOf(error));

/** The server has no connection left, for the service's role or for anybody. */
export const hasNoConnectionLeft = (error: unknown) => sqlStateOf(error) === '53300';

/** The server answers and refuses the service (password, name, parameters of the connection), so that waiting does not help. */
export const isRefusedByServer = (error: unknown) => /^(?:28|3D|08P01)/.test(sqlStateOf(error));

/** The code of a server's error; empty for every other error. */
function sqlStateOf(error: unknown): string {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof DatabaseError ? (cause.code ?? '') : '';
}
