import type { Writable } from 'node:stream';
import { type Client, type Pool, Query, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';

/*
 * What this folder uses of its libraries beyond their documentation.
 */

/** typeorm 1.1.1 has no accessor for its pool of `pg`, in which a named statement needs no QueryRunner. */
export const poolOf = (dataSource: DataSource): Pool =>
  (dataSource.driver as unknown as { master: Pool }).master;

/**
 * typeorm 1.1.1 ties an injected `Repository` to the manager of the DataSource, which takes another connection for each statement.
 * With this, its statements run on `current`, where there is one.
 */
export function useConnection(dataSource: DataSource, current: () => QueryRunner | undefined): void {
  Object.defineProperty(dataSource.manager, 'queryRunner', { get: current });
}

/** pg-pool 3 reads its limit before it opens a connection, and has no method to change it. */
export function setPoolSize(pool: Pool, size: number): void {
  pool.options.max = size;
}

/** pg 8 keeps its socket to itself: several statements become one write. */
export const streamOf = ({ connection }: Client): Writable =>
  (connection as unknown as { stream: Writable }).stream;

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
