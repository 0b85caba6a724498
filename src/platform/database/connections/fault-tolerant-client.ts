import pg from 'pg';
import { noteConnectionError } from '../../common/errors/database-errors.js';
import { endOnUnreadableMessage } from '../database-internals.js';

/** Without it, a statement without a timeout waits for a server that has vanished for as long as the kernel does: two hours. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

type OnConnect = (error: Error | null, client?: pg.Client) => void;

/**
 * A connection whose loss is noticed and does not end the process, whatever the server sends. `pg` emits `error` for a loss, and Node
 * throws an `error` event without a listener. The pool listens only while a connection is idle.
 */
export class FaultTolerantClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...KEEP_ALIVE, ...config });
    this.on('error', noteConnectionError);
    endOnUnreadableMessage(this);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: OnConnect): void;
  override connect(callback?: OnConnect): Promise<pg.Client> | undefined {
    const opened = super.connect().catch((error: unknown) => {
      noteConnectionError(error as Error);
      void this.end();
      throw error;
    });
    if (!callback) return opened;
    opened.then((client) => callback(null, client), callback);
    return undefined;
  }
}
