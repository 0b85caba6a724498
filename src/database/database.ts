import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import { ApiError } from '../common/errors/api-error.js';
import { Traces, type Step } from '../telemetry/traces.js';
import { databaseUnavailable, isDatabaseAway } from './database.errors.js';

/** A statement of a hot route. Named, so that the server parses and plans it once per connection. */
export interface Statement {
  name: string;
  text: string;
}

const PING: Statement = { name: 'ping', text: 'select 1' };

/**
 * The way of hot routes to the database: named statements and plain rows, past TypeORM's hydration
 * (docs/performance.md), on the pool that TypeORM keeps. int64 columns come as bigint.
 */
@Injectable()
export class Database {
  private readonly logger = new Logger('Database');
  private isAway = false;
  /** The connection of the transaction that the running code is part of. */
  private readonly open = new AsyncLocalStorage<PoolClient>();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(Traces) private readonly traces: Traces | null,
  ) {}

  /** Raises service_unavailable when the database is away, still starting or does not answer in time. */
  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const { rows } = await this.asking(statement.name, () =>
      (this.open.getStore() ?? this.pool).query<Row>({ ...statement, values }),
    );
    return rows;
  }

  /**
   * Runs `work` in one transaction: every query it makes, through whichever repository, is part of it, and all of it
   * is undone when it throws. Within a transaction it joins that one. Raises service_unavailable like `query`.
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.open.getStore()) return work();
    const client = await this.asking('connect', () => this.pool.connect());
    try {
      await this.asking('begin', () => client.query('begin'));
      const result = await this.open.run(client, work);
      await this.asking('commit', () => client.query('commit'));
      client.release();
      return result;
    } catch (error) {
      await this.giveBack(client, error);
      throw error;
    }
  }

  /** Whether the running code is part of a transaction. */
  get isInTransaction(): boolean {
    return this.open.getStore() !== undefined;
  }

  /** Resolves when the database answers; otherwise raises service_unavailable. */
  async ping(): Promise<void> {
    try {
      await this.query(PING, []);
    } catch (error) {
      throw databaseUnavailable(error);
    }
  }

  /** A connection that could not be asked is not given back: what it is doing nobody knows. */
  private async giveBack(client: PoolClient, error: unknown): Promise<void> {
    if (error instanceof ApiError && error.code === 'service_unavailable') {
      client.release(true);
      return;
    }
    const isClean = await client.query('rollback').then(
      () => true,
      () => false,
    );
    client.release(!isClean);
  }

  /** `what`: a statement's name, or what else is asked, for traces. */
  private async asking<Result>(what: string, ask: () => Promise<Result>): Promise<Result> {
    if (!this.dataSource.isInitialized) throw databaseUnavailable();
    try {
      const result = await (this.traces ? this.traces.step(stepOf(what), ask) : ask());
      this.noteAnswer();
      return result;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      this.noteSilence(error);
      throw databaseUnavailable(error);
    }
  }

  private noteAnswer(): void {
    if (this.isAway) this.logger.log('the database answers again');
    this.isAway = false;
  }

  private noteSilence(error: unknown): void {
    if (!this.isAway) this.logger.warn({ err: error }, 'the database is away');
    this.isAway = true;
  }

  /** How many connections there are, how many of them are idle and how many statements wait for one. */
  get poolState(): { total: number; idle: number; waiting: number } {
    if (!this.dataSource.isInitialized) return { total: 0, idle: 0, waiting: 0 };
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}

function stepOf<Result>(name: string): Step<Result> {
  return { name, isRemote: true, facts: { 'db.system.name': 'postgresql', 'db.query.summary': name } };
}
