import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { ClientBase, QueryResultRow } from 'pg';
import { DataSource, type EntityManager, type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { DatabaseUnavailableError } from '../common/errors/database-errors.js';
import type { ConnectionPool } from './connections/connection-pool.js';
import { DatabaseDriver } from './connections/database-driver.js';
import { type IsolationLevel, joinTransactions } from './database-internals.js';

/** A statement of a hot route. It has a name, so that the server parses and plans it once per connection. */
export interface Statement {
  name: string;
  text: string;
}

/** The connection of a transaction as repositories (`queryRunner`) and named statements (`client`) use it. */
interface Transaction {
  queryRunner: QueryRunner;
  client: ClientBase;
}

/** A statement that changes and locks nothing, but a setting for itself. Other statements may share its connection. */
const READ =
  /^\s*select\b(?!.*\b(?:for (?:no key )?update\b|for (?:key )?share\b|\w*advisory|nextval\b|setval\b|set_config\b(?!\([^()]*, true\))))/is;

/**
 * Transactions, and named statements. Injected repositories are used as they are. Within `transaction` all of them use one
 * connection. int64 columns are bigints and dates are text in all of them.
 *
 * What the driver throws becomes 503 or 500 in the exception filter (platform/common/errors/database-errors.ts).
 */
@Injectable()
export class Database {
  private readonly current = new AsyncLocalStorage<Transaction>();
  private readonly reads = new WeakMap<Statement, boolean>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly driver: DatabaseDriver,
  ) {
    joinTransactions(dataSource, {
      current: () => this.current.getStore()?.queryRunner,
      begin: (work, isolation) => this.transaction(work, isolation),
    });
  }

  /**
   * Runs a named statement: in the transaction of the running code, otherwise by itself. `Row` has the column names, so statements alias
   * their columns to the properties of an entity.
   */
  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const config = { name: statement.name, text: statement.text, values };
    const transaction = this.current.getStore();
    if (!transaction) {
      const pool = this.openPool();
      return (await (this.isRead(statement) ? pool.read<Row>(config) : pool.run<Row>(config))).rows;
    }
    // A statement of work that outlives its transaction, or whose connection is lost.
    if (transaction.queryRunner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    return (await transaction.client.query<Row>(config)).rows;
  }

  /**
   * Runs `work` in one transaction. Every statement of `work` is part of it, through whichever repository, and all of it
   * is undone when `work` throws. A transaction within a transaction joins the outer one. `work` gets TypeORM's manager, which it does
   * not need where repositories are injected.
   */
  async transaction<Result>(
    work: (manager: EntityManager) => Promise<Result>,
    isolation?: IsolationLevel,
  ): Promise<Result> {
    const outer = this.current.getStore();
    if (outer?.queryRunner.isTransactionActive) return work(outer.queryRunner.manager);
    this.openPool();
    const queryRunner = this.dataSource.createQueryRunner();
    const client = (await queryRunner.connect()) as ClientBase & { end: () => Promise<void> };
    try {
      await queryRunner.startTransaction(isolation);
      const result = await this.current.run({ queryRunner, client }, () => work(queryRunner.manager));
      await queryRunner.commitTransaction();
      return result;
    } catch (error) {
      // The pool replaces a connection that is ended: nothing is known about the state of this one.
      if (queryRunner.isTransactionActive)
        await queryRunner.rollbackTransaction().catch(() => void client.end());
      throw error;
    } finally {
      await queryRunner.release();
    }
  }

  /** Whether the running code is part of a transaction. */
  get isInTransaction(): boolean {
    return this.current.getStore()?.queryRunner.isTransactionActive ?? false;
  }

  /** Closes the connections of single reads, once their statements are answered. A later read opens new ones. */
  closeReaders(): void {
    this.driver.pool?.closeReaders();
  }

  /** @throws ApiError `service_unavailable` while the service starts */
  private openPool(): ConnectionPool {
    const { pool } = this.driver;
    if (!pool || !this.dataSource.isInitialized) throw new DatabaseUnavailableError();
    return pool;
  }

  private isRead(statement: Statement): boolean {
    let isRead = this.reads.get(statement);
    if (isRead === undefined) this.reads.set(statement, (isRead = READ.test(statement.text)));
    return isRead;
  }
}
