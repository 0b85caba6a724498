import type { PGlite } from '@electric-sql/pglite';
import { EmbeddedDatabaseError } from './embedded-database.errors.js';
import { Housekeeping } from './housekeeping.js';
import { Multiplexer } from './multiplexer.js';
import { openStore } from './pglite-store.js';
import { lockDataDir, type SocketLock } from './socket-lock.js';
import { templatePath } from './template.js';
import type { WorkerStart } from './worker-messages.js';

/** The whole of the embedded database: the lock, PGlite behind it, and its clients. */
export class EmbeddedServer {
  private readonly multiplexer: Multiplexer;
  private lock: SocketLock | undefined;
  private database: PGlite | undefined;
  private housekeeping: Housekeeping | undefined;

  constructor(
    private readonly settings: WorkerStart,
    private readonly onBroken: (error: unknown) => void,
  ) {
    this.multiplexer = new Multiplexer(onBroken);
  }

  /** Takes the directory, opens the database, then answers everyone who has been waiting. */
  async start(): Promise<void> {
    const { dir, dataDir } = this.settings;
    this.lock = await lockDataDir(dir, dataDir, (socket) => this.multiplexer.accept(socket));
    try {
      this.database = await openStore(dir, templatePath());
    } catch (cause) {
      this.multiplexer.abandon();
      await this.lock.release();
      throw new EmbeddedDatabaseError(
        `the database in DATA_DIR ${dataDir} cannot be opened: ${oneLine(cause)}`,
        {
          cause,
        },
      );
    }
    const version = await this.database.query<{ server_version: string }>('SHOW server_version');
    const backend = this.multiplexer.open(this.database, version.rows[0]?.server_version ?? '');
    this.housekeeping = new Housekeeping(this.database, backend, this.onBroken);
    this.housekeeping.start();
  }

  /** Lets clients finish, writes everything out, and gives the directory back, in this order. */
  async close(graceMs: number): Promise<void> {
    await this.multiplexer.close(graceMs);
    await this.lock?.unpublish();
    await this.housekeeping?.stop();
    await this.database?.exec('CHECKPOINT');
    await this.database?.close();
    await this.lock?.release();
  }
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}
