import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { TRACES } from '../telemetry/telemetry.module.js';
import type { Traces } from '../telemetry/tracing/traces.js';
import { type PooledConnection, Connections } from './connections.js';
import { pipelinedConnections } from './data-source.js';
import { useConnection } from './database-internals.js';
import { DatabaseProblems } from './database-problems.js';
import { DatabaseUnavailableError, isDatabaseAway } from './database.errors.js';

/** A statement of a hot route. It has a name, so that the server parses and plans it once per connection. */
export interface Statement {
  name: string;
  text: string;
  /** It changes nothing and locks nothing, so it may share a connection. */
  isRead?: true;
}

/**
 * The way to the database: `query` for named statements, `run` for injected repositories. Within `transaction` both use the same
 * connection. int64 columns are bigints and dates are text in both.
 */
@Injectable()
export class Database {
  private readonly connections: Connections;
  /** The connection of the running code. */
  private readonly current = new AsyncLocalStorage<PooledConnection>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly problems: DatabaseProblems,
    // Absent in commands.
    @Optional() @Inject(TRACES) private readonly traces: Traces | null | undefined,
    @Inject(CONFIG) { database }: Config,
  ) {
    this.connections = new Connections(dataSource, pipelinedConnections(database), (error) =>
      problems.log('the server refuses further connections: requests wait for one', { err: error }),
    );
    useConnection(dataSource, () => this.current.getStore()?.queryRunner);
  }

  /**
   * Runs a named statement. `Row` has the column names, so statements alias their columns to the properties of an entity.
   *
   * @throws ApiError `service_unavailable` when the database is away, still starting or does not answer in time.
   */
  query<Row extends QueryResultRow>({ name, text, isRead }: Statement, values: unknown[]): Promise<Row[]> {
    const statement = { name, text, values };
    const result = this.execute(name, () => {
      const client = this.current.getStore()?.client;
      return client ? client.query<Row>(statement) : this.connections.query<Row>(statement, isRead === true);
    });
    return result.then(({ rows }) => rows);
  }

  /**
   * Runs statements of injected repositories on one connection. `name` is their name in traces.
   *
   * @throws ApiError `service_unavailable`, as `query` does.
   */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const open = this.current.getStore();
    const on = (connection: PooledConnection) => this.execute(name, () => this.current.run(connection, work));
    return open ? on(open) : this.onConnection(on);
  }

  /**
   * Runs `work` in one transaction. Every statement of `work` is part of it, through whichever repository, and all of it
   * is undone when `work` throws. A transaction within a transaction joins the outer one.
   *
   * @throws ApiError `service_unavailable`, as `query` does.
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isInTransaction) return work();
    return this.onConnection(async (connection) => {
      await this.execute('begin', () => connection.queryRunner.startTransaction());
      const result = await this.current.run(connection, work);
      await this.execute('commit', () => connection.queryRunner.commitTransaction());
      return result;
    });
  }

  /** Whether the running code is part of a transaction. */
  get isInTransaction(): boolean {
    return this.current.getStore()?.queryRunner.isTransactionActive ?? false;
  }

  /** Closes the connections of single reads, once their statements are answered. A later read opens new ones. */
  closeReaders(): void {
    this.connections.closeReaders();
  }

  private async onConnection<Result>(
    work: (connection: PooledConnection) => Promise<Result>,
  ): Promise<Result> {
    const connection = await this.execute('connect', () => this.connections.connect());
    const { queryRunner, client } = connection;
    try {
      return await work(connection);
    } catch (error) {
      // The pool replaces a connection that is ended: nothing is known about the state of this one.
      if (error instanceof DatabaseUnavailableError) void client.end();
      else if (queryRunner.isTransactionActive)
        await queryRunner.rollbackTransaction().catch(() => void client.end());
      throw error;
    } finally {
      await queryRunner.release();
    }
  }

  /** `name`: the name of a statement, or of another step on a connection, for traces. */
  private execute<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.dataSource.isInitialized) return Promise.reject(new DatabaseUnavailableError());
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
    const result = this.traces?.span({ name, isRemote: true, attributes }, work) ?? work();
    return result.catch((error: unknown) => {
      throw isDatabaseAway(error) ? this.problems.failed(error) : error;
    });
  }
}
