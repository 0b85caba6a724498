import { sqlStateOf } from '../common/errors/database-errors.js';

/** The server has no connection left, for the service's role or for anybody. */
export const hasNoConnectionLeft = (error: unknown) => sqlStateOf(error) === '53300';

/** Node's codes for a server that is not there yet. */
const NOT_THERE = /^(?:ECONN|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_AGAIN)/;
const NO_ANSWER = /Connection terminated|timeout expired|Query read timeout/;

/**
 * Whether a start waits for the server, because containers start together. Anything else that fails while a connection is opened (rights,
 * password, TLS and its files) does not end by itself.
 */
export function isServerStarting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isServerStarting);
  if (!(error instanceof Error)) return false;
  const sqlState = sqlStateOf(error);
  if (sqlState !== '') return /^(?:08(?!P01)|53|57)/.test(sqlState);
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  return (NOT_THERE.test(code) && syscall !== 'open') || NO_ANSWER.test(message);
}
