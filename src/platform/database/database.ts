import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { DataSource, type EntityManager, getMetadataArgsStorage, type QueryRunner } from 'typeorm';
import type { ApiError } from '../common/errors/api-error.js';
import { serviceUnavailable } from '../common/errors/common.errors.js';
import { CONFIG, type Config } from '../config/config.js';
import { TRACES } from '../telemetry/telemetry.module.js';
import type { Traces } from '../telemetry/tracing/traces.js';
import { pipelinedConnections } from './data-source.js';
import {
  DatabaseUnavailableError,
  isDatabaseAway,
  isReadOnly,
  isTooSlow,
  isUnavailable,
  isWorkerAway,
} from './database.errors.js';
import { FaultTolerantClient } from './fault-tolerant-client.js';
import { PipelinedConnections } from './pipelined-connections.js';

/** A statement of a hot route. It has a name, so that the server parses and plans it once per connection. */
export interface Statement {
  name: string;
  text: string;
  /** It changes nothing and locks nothing, so it may share a connection and run twice. */
  isRead?: true;
}

/** The columns of an entity for a named statement, aliased to its properties: rows then have the shape of the entity. */
export function columnsOf(entity: new () => object): string {
  const columns = getMetadataArgsStorage().columns.filter(({ target }) => target === entity);
  return columns
    .map(({ propertyName, options: { name = propertyName } }) =>
      name === propertyName ? name : `${name} as "${propertyName}"`,
    )
    .join(', ');
}

/** A standby is read-only, and so is a server that an operator has made so. */
interface ReadOnly {
  reason: string | null;
}
const READ_ONLY = {
  name: 'role',
  text: `select case when pg_is_in_recovery() then 'it is a standby'
    when current_setting('transaction_read_only') = 'on' then 'it is read-only' end as reason`,
};

const PARTIAL_LOG_EVERY_MS = 60_000;

/** A connection of the pool as TypeORM (`queryRunner`) and named statements (`client`) use it. */
interface Connection {
  queryRunner: QueryRunner;
  client: FaultTolerantClient;
}

/**
 * The one way to the database. Hot routes run named statements with `query`, everything else runs TypeORM with `run`;
 * within `transaction` both use the same connection. int64 columns are bigints in both.
 */
@Injectable()
export class Database {
  private readonly logger = new Logger('Database');
  private isAway = false;
  private takesWrites = true;
  /** When each warning about a part of the requests was last logged. */
  private readonly partialLoggedAtMs = new Map<string, number>();
  /** The connection of the transaction that the running code is part of. */
  private readonly transactions = new AsyncLocalStorage<Connection>();
  /** For single reads; undefined where the pool has the only connection. */
  private readonly readers: PipelinedConnections | undefined;

  constructor(
    private readonly dataSource: DataSource,
    // Absent in commands.
    @Optional() @Inject(TRACES) private readonly traces: Traces | null | undefined,
    @Inject(CONFIG) { database }: Config,
  ) {
    const size = pipelinedConnections(database);
    if (size > 0) this.readers = new PipelinedConnections(size, () => this.pipelinedClient());
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
    const { rows } = await this.execute(name, () => {
      const config: QueryConfig = { name, text, values };
      const client = this.transactions.getStore()?.client;
      if (!client && isRead && this.readers) return this.readers.query<Row>(config);
      return (client ?? this.pool).query<Row>(config);
    });
    return rows;
  }

  /**
   * Runs TypeORM statements on one connection. `name` is the name in traces.
   *
   * @throws ApiError `service_unavailable`, as `query` does.
   */
  run<Result>(name: string, work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const open = this.transactions.getStore();
    return this.execute(name, () =>
      open
        ? work(open.queryRunner.manager)
        : this.onConnection(({ queryRunner }) => work(queryRunner.manager)),
    );
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
      const result = await this.transactions.run(connection, work);
      await this.execute('commit', () => connection.queryRunner.commitTransaction());
      return result;
    });
  }

  /** Whether the running code is part of a transaction. */
  get isInTransaction(): boolean {
    return this.transactions.getStore() !== undefined;
  }

  /**
   * Resolves when the database answers and takes writes. Checks every connection for single reads, because after a switchover
   * one may still lead to the old primary. A write would reveal that, but these connections run none.
   *
   * @throws ApiError `service_unavailable` for every failure.
   */
  async ping(): Promise<void> {
    const ask = async () =>
      this.readers?.queryEach<ReadOnly>(READ_ONLY) ?? [await this.pool.query<ReadOnly>(READ_ONLY)];
    const answers = await this.execute(READ_ONLY.name, ask).catch((error: unknown) => {
      throw new DatabaseUnavailableError(error);
    });
    for (const { reason } of answers.flatMap(({ rows }) => rows))
      if (reason !== null) throw this.markReadOnly(reason);
    if (!this.takesWrites) this.logger.log('the database takes writes again');
    this.takesWrites = true;
  }

  /** A count of the pool: its connections, the idle ones, or the statements that wait for one. */
  poolCount(part: 'totalCount' | 'idleCount' | 'waitingCount'): number {
    return this.dataSource.isInitialized ? this.pool[part] : 0;
  }

  /** Closes the connections of single reads, once their statements are answered. TypeORM closes the pool. */
  async close(): Promise<void> {
    await this.readers?.close();
  }

  /** A connection with the options of the pool's connections. The pool hides the password from enumeration. */
  private pipelinedClient(): FaultTolerantClient {
    const { options } = this.pool;
    return new FaultTolerantClient({ ...options, password: options.password, pipeline: true });
  }

  private async onConnection<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const queryRunner = this.dataSource.createQueryRunner();
    const client = await this.execute(
      'connect',
      () => queryRunner.connect() as Promise<Connection['client']>,
    );
    try {
      return await work({ queryRunner, client });
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
      this.markAvailable();
      return result;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      if (isReadOnly(error)) throw this.markReadOnly('a write was refused', error);
      this.markUnavailable(error);
      throw new DatabaseUnavailableError(error);
    }
  }

  /**
   * Logs once why the service is not ready, and returns the 503. The server may have been the primary until now, so its idle
   * connections are closed: new ones may reach the new primary.
   */
  private markReadOnly(reason: string, cause?: unknown): ApiError {
    if (this.takesWrites)
      this.logger.warn({ reason }, 'the database takes no writes: the service is not ready');
    this.takesWrites = false;
    this.readers?.close().catch(() => undefined);
    const { pool } = this;
    for (let idle = pool.idleCount; idle > 0; idle -= 1)
      pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      );
    return serviceUnavailable(`The database takes no writes: ${reason}.`, cause);
  }

  private markAvailable(): void {
    if (this.isAway) this.logger.log('the database answers again');
    this.isAway = false;
  }

  /** Logs the beginning of an outage, not every request in it. */
  private markUnavailable(error: unknown): void {
    if (isWorkerAway(error)) {
      this.warnOfPart('a worker of the database is away', error);
      return;
    }
    if (isTooSlow(error)) {
      this.warnOfPart('the database is too slow for some statements', error);
      return;
    }
    if (!this.isAway) this.logger.warn({ err: error }, 'the database is away');
    this.isAway = true;
  }

  /** Other requests succeed meanwhile, so the end is not noticed. */
  private warnOfPart(what: string, err: unknown): void {
    const nowMs = performance.now();
    if (nowMs < (this.partialLoggedAtMs.get(what) ?? -Infinity) + PARTIAL_LOG_EVERY_MS) return;
    this.partialLoggedAtMs.set(what, nowMs);
    this.logger.warn({ err }, what);
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
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
