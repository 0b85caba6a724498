import { DatabaseError } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { ApiError } from './api-error.js';
import { RETRY_SOON } from './common.errors.js';
import { logDatabaseProblem } from './database-problems.js';
import { HTTP_ERRORS } from './http.errors.js';

/**
 * SQLSTATE classes and codes of a statement that is wrong by itself: data, constraints, syntax, an aborted transaction, or what a function
 * raises. Any other code is trouble of the server, its rights or its schema.
 */
const STATEMENT_IS_WRONG = /^(?:2[123]|25P02|42(?!501|P0[15])|44|P0)/;
/** Errors of `pg` that have a message and no code. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect';
const NO_ANSWER = new RegExp(
  `Connection terminated|Query read timeout|Cannot use a pool after calling end|not queryable|${POOL_TIMEOUT}`,
);

export const NO_WRITES = 'the database takes no writes: the service is not ready';

const connectionErrors = new WeakSet();

/** Notes that a connection could not be opened or was lost with this error, whatever its class and code. */
export function noteConnectionError(error: Error): void {
  connectionErrors.add(error);
}

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

/** The 503 for what TypeORM or `pg` throws when the database is away, with its line in the log; undefined for any other error. */
export function databaseErrorOf(thrown: unknown): DatabaseUnavailableError | undefined {
  if (!isDatabaseAway(thrown)) return undefined;
  logDatabaseProblem(problemOf(thrown), { err: causeOf(thrown) });
  return new DatabaseUnavailableError(thrown);
}

/** Whether the database failed, as opposed to the statement. */
export function isDatabaseAway(thrown: unknown): boolean {
  const error = causeOf(thrown);
  // TypeORM gives up a connection that is lost between two statements.
  if (connectionErrors.has(error as Error) || error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (!(error instanceof Error)) return false;
  const sqlState = sqlStateOf(error);
  return sqlState === '' ? NO_ANSWER.test(error.message) : !STATEMENT_IS_WRONG.test(sqlState);
}

/** What the log says of an error of the database. In all cases but the last the server answers. */
function problemOf(thrown: unknown): string {
  const sqlState = sqlStateOf(thrown);
  if (connectionErrors.has(causeOf(thrown) as Error)) return 'the database is away';
  if (sqlState === '25006') return NO_WRITES;
  if (sqlState === '53100') return 'the disk of the database is full';
  // Such as a worker of Citus.
  if (sqlState.startsWith('08')) return 'a worker of the database is away';
  if (isUnprepared(thrown)) return 'a statement could not be prepared';
  if (/^(?:42|3F)/.test(sqlState)) return 'the database lacks a table or a right that the service needs';
  // It waited too long for a lock, or for a connection of the pool.
  if (/^(?:57014|55P03)/.test(sqlState) || (thrown as Error).message.includes(POOL_TIMEOUT))
    return 'the database is too slow for some statements';
  return 'the database is away';
}

/**
 * The statement did not run, because it was sent behind one whose preparation failed: it does not find its prepared statement, or
 * prepares it twice.
 */
export const isUnprepared = (thrown: unknown) => ['26000', '42P05'].includes(sqlStateOf(thrown));

/** PostgreSQL refuses a further connection, because its limit or that of the service's role is reached. */
export const hasNoConnectionLeft = (error: unknown) => sqlStateOf(error) === '53300';

/** The code of a server's error; empty for every other error. */
export function sqlStateOf(thrown: unknown): string {
  const error = causeOf(thrown);
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

const causeOf = (thrown: unknown): unknown =>
  thrown instanceof QueryFailedError ? thrown.driverError : thrown;
