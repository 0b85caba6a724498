import pg from 'pg';
import { type Parameters, useTransactionPooler } from './transaction-pooler.js';

export interface ClientConfig extends pg.ClientConfig {
  /** The server is behind a pooler in transaction mode, and each transaction sets these parameters. */
  transactionParameters?: Parameters | undefined;
}

/** Without it, a statement without a timeout waits for a server that has vanished for as long as the kernel does: two hours. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * A connection whose loss is noticed and does not end the process. `pg` emits `error` for a loss, and Node throws an `error` event without a
 * listener. The pool listens only while a connection is idle.
 */
export class FaultTolerantClient extends pg.Client {
  constructor(config?: ClientConfig) {
    super({ ...KEEP_ALIVE, ...config });
    this.on('error', () => undefined);
    if (config?.transactionParameters) useTransactionPooler(this, config.transactionParameters);
  }
}
