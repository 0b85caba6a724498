import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../config/config.js';
import { Database } from '../database.js';
import { directSettings } from '../data-source.js';
import { reachEmbeddedDatabase, type EmbeddedDatabase } from './embedded-database.js';
import { missingPart } from '../connections/usable.js';
import { migrate } from './migrate.js';
import { databaseInWords, startError, waitForServer } from './wait-for-server.js';

/** Opens the database once the process answers health checks: first the server, then the schema, then the pool. */
@Injectable()
export class DatabaseStarter implements OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private embedded: Pick<EmbeddedDatabase, 'close'> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Starts for the service, which owns its embedded database; `embedded` is undefined where a server is used.
   *
   * @throws Error, with one line for the operator.
   */
  async startForService(embedded: Promise<EmbeddedDatabase> | undefined): Promise<void> {
    if (embedded) {
      const opened = await embedded;
      this.embedded = opened;
      void opened.failed.then((error) => {
        this.logger.fatal({ err: error }, 'the embedded database failed');
        process.exit(1);
      });
    }
    await this.open();
  }

  /** Starts for a command, which reaches the embedded database through the running service or opens it itself. It migrates too. */
  async startForCommand(): Promise<void> {
    if (this.config.database.server === undefined) {
      this.embedded = await reachEmbeddedDatabase(this.config.database.dataDir);
    }
    await this.open();
  }

  // TypeOrmModule closes the pool in the same hook; the embedded database closes after the pool.
  async onApplicationShutdown(): Promise<void> {
    this.database.closeReaders();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    await this.embedded?.close();
  }

  private async open(): Promise<void> {
    const { database } = this.config;
    const direct = directSettings(database);
    await Promise.all([waitForServer(database), direct.server !== database.server && waitForServer(direct)]);
    await migrate(direct).catch((error: unknown) => {
      throw startError(`${databaseInWords(direct)} cannot be migrated`, error);
    });
    await this.dataSource.initialize().catch((error: unknown) => {
      throw startError(`${databaseInWords(database)} cannot be opened`, error);
    });
    const missing = await missingPart(this.dataSource).catch((error: unknown) => {
      throw startError(`${databaseInWords(database)} cannot be read`, error);
    });
    if (missing !== undefined)
      throw new Error(
        `The database ${databaseInWords(database)} lacks a table of the service, or a right to use it: ${missing}. ` +
          `DATABASE_MIGRATION_URL must name the same database, and both roles need the same search_path.`,
      );
  }
}
