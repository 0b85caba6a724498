import pg from 'pg';
import { type Parameters, useTransactionPooler } from './transaction-pooler.js';

export interface ClientConfig extends pg.ClientConfig {
  /** The server is behind a pooler in transaction mode, and each transaction sets these parameters. */
  transactionParameters?: Parameters | undefined;
}

/**
 * A connection whose loss does not end the process. `pg` emits `error` for a loss, and Node throws an `error` event without a
 * listener. The pool listens only while a connection is idle.
 */
export class FaultTolerantClient extends pg.Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    if (config?.transactionParameters) useTransactionPooler(this, config.transactionParameters);
  }
}
