import type { Duplex, Writable } from 'node:stream';
import {
  type Client,
  DatabaseError,
  type Pool,
  Query,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { noteConnectionError } from '../common/errors/database-errors.js';

/*
 * What this folder uses of its libraries beyond their documentation.
 */

/** An isolation level of TypeORM, which does not export the type. */
export type IsolationLevel = Parameters<QueryRunner['startTransaction']>[0];

/**
 * typeorm 1.1.1 ties an injected `Repository` to the manager of the DataSource, which takes another connection for each statement.
 * With this, its statements run on `current`, where there is one, and TypeORM's own `transaction` methods are `begin`.
 */
export function joinTransactions(
  dataSource: DataSource,
  {
    current,
    begin,
  }: {
    current: () => QueryRunner | undefined;
    begin: <Result>(work: Work<Result>, isolation?: IsolationLevel) => Promise<Result>;
  },
): void {
  Object.defineProperty(dataSource.manager, 'queryRunner', { get: current });
  dataSource.manager.transaction = <Result>(
    first: IsolationLevel | Work<Result>,
    work = first as Work<Result>,
  ): Promise<Result> => begin(work, typeof first === 'string' ? first : undefined);
}

type Work<Result> = (manager: EntityManager) => Promise<Result>;

/** pg-pool 3 reads its limit before it opens a connection, and has no method to change it. */
export function setPoolSize(pool: Pool, size: number): void {
  pool.options.max = size;
}

/** pg 8 keeps its socket to itself: several statements become one write. */
export const streamOf = ({ connection }: Client): Writable =>
  (connection as unknown as { stream: Writable }).stream;

/**
 * pg 8.23.1 throws at a message that it does not know in a listener of the socket, which would end the process. Instead the connection is
 * lost.
 */
export function endOnUnreadableMessage({ connection }: Client): void {
  const internal = connection as unknown as { attachListeners: (stream: Duplex) => void };
  const attachListeners = internal.attachListeners.bind(connection);
  internal.attachListeners = (stream) => {
    const lose = (error: Error) => {
      noteConnectionError(error);
      stream.destroy(error);
    };
    const guarded = (read: (bytes: Buffer) => void) => (bytes: Buffer) => {
      try {
        read(bytes);
      } catch (error) {
        lose(error as Error);
      }
    };
    // An error of a server has a code.
    connection.prependListener('errorMessage', (error: DatabaseError) => {
      if (error.code === undefined) lose(error);
    });
    const on = (event: string, listener: () => void) =>
      stream.on(event, event === 'data' ? guarded(listener) : listener);
    attachListeners({ on } as unknown as Duplex);
  };
}

/**
 * pg 8 copies a statement that is given as a plain object, which takes a twentieth of a read. It does not copy a `Query`, whose constructor has
 * no parameter for the name.
 */
export function queryOf<Row extends QueryResultRow>(
  { name, text, values }: QueryConfig,
  callback: (error: Error | undefined, result: QueryResult<Row>) => void,
): Query<Row> {
  return Object.assign(new Query<Row>(text, values, callback), { name });
}
