import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { TRACES } from '../telemetry/telemetry.module.js';
import type { Traces } from '../telemetry/tracing/traces.js';
import { Availability } from './availability.js';
import { type PooledConnection, Connections } from './connections.js';
import { useConnection } from './database-internals.js';
import { DatabaseUnavailableError, isDatabaseAway, isUnavailable } from './database.errors.js';
import type { Statement } from './statement.js';

export { columnsOf, type Statement } from './statement.js';

/** A standby is read-only, and so is a server that an operator has made so. */
const READ_ONLY: Statement = {
  name: 'role',
  text: `select case when pg_is_in_recovery() then 'it is a standby'
    when current_setting('transaction_read_only') = 'on' then 'it is read-only' end as reason`,
  isRead: true,
};

/**
 * The way to the database: `query` for named statements, `run` for injected repositories. Within `transaction` both use the same
 * connection. int64 columns are bigints and dates are text in both.
 */
@Injectable()
export class Database {
  private readonly availability = new Availability();
  private readonly connections: Connections;
  /** The connection of the running code. */
  private readonly current = new AsyncLocalStorage<PooledConnection>();

  constructor(
    private readonly dataSource: DataSource,
    // Absent in commands.
    @Optional() @Inject(TRACES) private readonly traces: Traces | null | undefined,
    @Inject(CONFIG) { database }: Config,
  ) {
    this.connections = new Connections(dataSource, database, (error) =>
      this.availability.warnOfPart('the server refuses further connections: requests wait for one', error),
    );
    useConnection(dataSource, () => this.current.getStore()?.queryRunner);
  }

  /**
   * Runs a named statement. `Row` has the column names, so statements alias their columns to the properties of an entity.
   *
   * @throws ApiError `service_unavailable` when the database is away, still starting or does not answer in time.
   */
  async query<Row extends QueryResultRow>(
    { name, text, isRead }: Statement,
    values: unknown[],
  ): Promise<Row[]> {
    const statement = { name, text, values };
    const { rows } = await this.execute(name, () => {
      const client = this.current.getStore()?.client;
      return client ? client.query<Row>(statement) : this.connections.query<Row>(statement, isRead === true);
    });
    return rows;
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

  /**
   * Resolves when the database answers and takes writes. It asks where single reads do. Their connections to a server that takes no
   * writes are closed, because the next ones may lead to its successor.
   *
   * @throws ApiError `service_unavailable` for every failure.
   */
  async ping(): Promise<void> {
    const [answer] = await this.query<{ reason: string | null }>(READ_ONLY, []).catch((error: unknown) => {
      throw isUnavailable(error) ? error : new DatabaseUnavailableError(error);
    });
    const reason = answer?.reason ?? null;
    if (reason === null) {
      this.availability.writable();
      return;
    }
    this.connections.close().catch(() => undefined);
    throw this.availability.readOnly(reason);
  }

  /** A count of the pool: its connections, the idle ones, or the statements that wait for one. */
  poolCount(part: 'totalCount' | 'idleCount' | 'waitingCount'): number {
    return this.dataSource.isInitialized ? this.connections.pool[part] : 0;
  }

  /** TypeORM closes the pool. */
  close(): Promise<void> {
    return this.connections.close();
  }

  private async onConnection<Result>(
    work: (connection: PooledConnection) => Promise<Result>,
  ): Promise<Result> {
    const connection = await this.execute('connect', () => this.connections.connect());
    const { queryRunner, client } = connection;
    try {
      return await work(connection);
    } catch (error) {
      const isReusable = !isUnavailable(error) && !isDatabaseAway(error) && (await rollback(queryRunner));
      // The pool replaces a connection that is ended: nothing is known about the state of this one.
      if (!isReusable) void client.end();
      throw error;
    } finally {
      await queryRunner.release();
    }
  }

  /** `name`: the name of a statement, or of another step on a connection, for traces. */
  private async execute<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.dataSource.isInitialized) throw new DatabaseUnavailableError();
    try {
      const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
      const result = await (this.traces?.span({ name, isRemote: true, attributes }, work) ?? work());
      this.availability.answered();
      return result;
    } catch (error) {
      throw isDatabaseAway(error) ? this.availability.failed(error) : error;
    }
  }
}

/** Resolves with whether the connection is known to have no open transaction. */
async function rollback(queryRunner: QueryRunner): Promise<boolean> {
  if (!queryRunner.isTransactionActive) return true;
  return queryRunner.rollbackTransaction().then(
    () => true,
    () => false,
  );
}
