import pg from 'pg';

/** Without it, a statement without a timeout waits for a server that has vanished for as long as the kernel does: two hours. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * A connection whose loss is noticed and does not end the process. `pg` emits `error` for a loss, and Node throws an `error` event without a
 * listener. The pool listens only while a connection is idle.
 */
export class FaultTolerantClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...KEEP_ALIVE, ...config });
    this.on('error', () => undefined);
  }
}
