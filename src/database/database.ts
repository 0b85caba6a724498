import { Injectable, Logger } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
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

  constructor(private readonly dataSource: DataSource) {}

  /** Raises service_unavailable when the database is away, still starting or does not answer in time. */
  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    if (!this.dataSource.isInitialized) throw databaseUnavailable();
    try {
      const { rows } = await this.pool.query<Row>({ ...statement, values });
      this.noteAnswer();
      return rows;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      this.noteSilence(error);
      throw databaseUnavailable(error);
    }
  }

  /** Resolves when the database answers; otherwise raises service_unavailable. */
  async ping(): Promise<void> {
    try {
      await this.query(PING, []);
    } catch (error) {
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

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}
