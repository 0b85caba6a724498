import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config/config.js';
import { reachEmbeddedDatabase, type EmbeddedDatabase } from './embedded/embedded-database.js';
import { DatabaseStartError } from './database.errors.js';
import { migrate } from './migrate.js';
import { waitForServer, whileServerAnswers } from './wait-for-server.js';

const WAIT_FOR_SERVER_MS = 20_000;

/** Opens the database, once, after the process is up: the server, the schema, the pool, in this order. */
@Injectable()
export class DatabaseStarter implements OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private embedded: Pick<EmbeddedDatabase, 'close'> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * For the service, which owns its embedded database; undefined where a server is used.
   * Raises DatabaseStartError, or an error of the embedded database, with one line for the operator.
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

  /** For a command: the embedded database is reached through the running service, or opened where none runs. */
  async startForCommand(): Promise<void> {
    if (this.config.database.url === undefined) {
      this.embedded = await reachEmbeddedDatabase(this.config.database.dataDir);
    }
    await this.open();
  }

  // Runs after every module has let go of the pool: TypeOrmModule's own hook closes it.
  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    await this.embedded?.close();
  }

  private async open(): Promise<void> {
    const { database } = this.config;
    if (database.url !== undefined) await waitForServer(database.url, WAIT_FOR_SERVER_MS);
    try {
      const done = await (database.url === undefined
        ? migrate(database)
        : whileServerAnswers(database.url, WAIT_FOR_SERVER_MS, migrate(database)));
      if (done.length > 0) this.logger.log({ migrations: done }, 'migrated the database');
      await this.dataSource.initialize();
    } catch (error) {
      if (error instanceof DatabaseStartError) throw error;
      const why = error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);
      throw new DatabaseStartError(`The database cannot be opened: ${why}`, { cause: error });
    }
  }
}
