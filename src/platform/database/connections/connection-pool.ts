import { setTimeout as pause } from 'node:timers/promises';
import pg, {
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import { hasNoConnectionLeft } from '../../common/errors/database-errors.js';
import { logDatabaseProblem } from '../../common/errors/database-problems.js';
import type { Traces } from '../../telemetry/tracing/traces.js';
import { CONNECT_TIMEOUT_MS } from '../data-source.js';
import { setPoolSize } from '../database-internals.js';
import { FaultTolerantClient } from './fault-tolerant-client.js';
import { PipelinedConnections } from './pipelined-connections.js';
import { spanOf, traceStatements } from './statement-spans.js';

/** How long no further connection is opened after the server has refused one. */
const REFUSED_FOR_MS = 10_000;
const RETRY_MS = 50;

type OnConnected = (
  error: Error | undefined,
  client?: PoolClient,
  release?: (error?: Error | boolean) => void,
) => void;

/**
 * The pool of TypeORM, and the connections that single reads share. While the server refuses a further connection (SQLSTATE 53300),
 * requests wait for one that works.
 */
export class ConnectionPool extends pg.Pool {
  private readonly readers: PipelinedConnections;
  private isRefused = false;

  /** `readerCount` is 0 where the pool has the only connection. */
  constructor(
    options: PoolConfig,
    private readonly readerCount: number,
    private readonly traces: Traces | null | undefined,
  ) {
    super(options);
    this.readers = new PipelinedConnections(readerCount, () => this.newReader());
    if (traces) this.on('connect', (client) => traceStatements(client, traces));
  }

  /** Hands out a connection, which the caller releases. */
  override connect(): Promise<PoolClient>;
  override connect(callback: OnConnected): void;
  override connect(callback?: OnConnected): Promise<PoolClient> | undefined {
    const connected = spanOf(this.traces, 'connect', () => this.whileRefused());
    if (!callback) return connected;
    connected.then((client) => callback(undefined, client, (error) => client.release(error)), callback);
    return undefined;
  }

  /** Runs a statement that only reads on a connection that others share. */
  read<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>> {
    if (this.readerCount === 0) return this.run<Row>(statement);
    const { name = '' } = statement;
    return spanOf(this.traces, name, () => this.readers.query<Row>(statement)).catch((error: unknown) => {
      if (!hasNoConnectionLeft(error)) throw error;
      this.stopGrowing(error);
      return this.run<Row>(statement);
    });
  }

  /** Runs a statement alone on a connection. */
  async run<Row extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<Row>> {
    const client = await this.connect();
    try {
      return await client.query<Row>(statement);
    } finally {
      client.release();
    }
  }

  /** Closes the connections of single reads, once their statements are answered. A later read opens new ones. */
  closeReaders(): void {
    this.readers.close();
  }

  private async whileRefused(): Promise<PoolClient> {
    const deadlineMs = performance.now() + CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        return await super.connect();
      } catch (error) {
        if (!hasNoConnectionLeft(error)) throw error;
        this.stopGrowing(error);
        if (performance.now() > deadlineMs) throw error;
        // Reads may have every connection. They open new ones, or use the pool.
        if (this.totalCount === 0) this.readers.close();
        await pause(RETRY_MS);
      }
    }
  }

  /** For a while, requests share the connections that are open. */
  private stopGrowing(error: unknown): void {
    logDatabaseProblem('the server refuses further connections: requests wait for one', { err: error });
    if (this.isRefused) return;
    this.isRefused = true;
    const { readers, readerCount } = this;
    const { max } = this.options;
    setPoolSize(this, 1);
    readers.size = 1;
    setTimeout(() => {
      this.isRefused = false;
      setPoolSize(this, max);
      readers.size = readerCount;
    }, REFUSED_FOR_MS).unref();
  }

  /** A connection with the options of the pool's connections. The pool hides the password from enumeration. */
  private newReader(): FaultTolerantClient {
    return new FaultTolerantClient({ ...this.options, password: this.options.password });
  }
}
