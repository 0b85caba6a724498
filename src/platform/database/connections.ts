import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { CONNECT_TIMEOUT_MS } from './data-source.js';
import { poolOf, setPoolSize } from './database-internals.js';
import { hasNoConnectionLeft } from './database.errors.js';
import { FaultTolerantClient } from './fault-tolerant-client.js';
import { PipelinedConnections } from './pipelined-connections.js';

/** How long no further connection is opened after the server has refused one. */
const REFUSED_FOR_MS = 10_000;
const RETRY_MS = 50;

/** A connection of the pool as repositories (`queryRunner`) and named statements (`client`) use it. */
export interface PooledConnection {
  queryRunner: QueryRunner;
  client: FaultTolerantClient;
}

/**
 * The pool, and the connections that single reads share. While the server refuses a further connection (SQLSTATE 53300), requests wait
 * for one that works.
 */
export class Connections {
  private readonly readers: PipelinedConnections;
  private isRefused = false;

  /** `readerCount` is 0 where the pool has the only connection. `onRefusal` is called whenever the server refuses a further connection. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly readerCount: number,
    private readonly onRefusal: (error: unknown) => void,
  ) {
    this.readers = new PipelinedConnections(readerCount, () => this.pipelinedClient());
  }

  private get pool(): Pool {
    return poolOf(this.dataSource);
  }

  /** Runs a statement outside of transactions. */
  query<Row extends QueryResultRow>(statement: QueryConfig, isRead: boolean): Promise<QueryResult<Row>> {
    const onPool = () => this.whileRefused(() => this.pool.query<Row>(statement));
    if (!isRead || this.readerCount === 0) return onPool();
    return this.readers.query<Row>(statement).catch((error: unknown) => {
      if (!hasNoConnectionLeft(error)) throw error;
      this.stopGrowing(error);
      return onPool();
    });
  }

  /** The caller releases the `queryRunner`. */
  connect(): Promise<PooledConnection> {
    return this.whileRefused(async () => {
      const queryRunner = this.dataSource.createQueryRunner();
      return { queryRunner, client: (await queryRunner.connect()) as FaultTolerantClient };
    });
  }

  /** Closes the connections of single reads, once their statements are answered. TypeORM closes the pool. */
  closeReaders(): void {
    this.readers.close();
  }

  private async whileRefused<Result>(work: () => Promise<Result>): Promise<Result> {
    const deadlineMs = performance.now() + CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!hasNoConnectionLeft(error)) throw error;
        this.stopGrowing(error);
        if (performance.now() > deadlineMs) throw error;
        // Reads may have every connection. They open new ones, or use the pool.
        if (this.pool.totalCount === 0) this.readers.close();
        await pause(RETRY_MS);
      }
    }
  }

  /** For a while, requests share the connections that are open. */
  private stopGrowing(error: unknown): void {
    this.onRefusal(error);
    if (this.isRefused) return;
    this.isRefused = true;
    const { pool, readers, readerCount } = this;
    const { max } = pool.options;
    setPoolSize(pool, 1);
    readers.size = 1;
    setTimeout(() => {
      this.isRefused = false;
      setPoolSize(pool, max);
      readers.size = readerCount;
    }, REFUSED_FOR_MS).unref();
  }

  /** A connection with the options of the pool's connections. The pool hides the password from enumeration. */
  private pipelinedClient(): FaultTolerantClient {
    const { options } = this.pool;
    return new FaultTolerantClient({ ...options, password: options.password, pipeline: true });
  }
}
