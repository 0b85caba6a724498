import pg from 'pg';

/** Parameters of the server and their values, in milliseconds where they are times. */
export type Parameters = Record<string, number>;

export interface ClientConfig extends pg.ClientConfig {
  /** The server is behind a pooler in transaction mode, and each transaction sets these parameters. */
  transactionParameters?: Parameters | undefined;
}

/** Without it, a statement without a timeout waits for a server that has vanished for as long as the kernel does: two hours. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** What TypeORM begins each transaction with. */
const BEGIN = 'START TRANSACTION';

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

/** The statements that set these parameters until the transaction (`local`) or the session ends. */
export function setParameters(scope: 'local' | 'session', parameters: Parameters): string {
  const assignments = Object.entries(parameters);
  return assignments.map(([name, value]) => `set ${scope} ${name} = ${value}`).join('; ');
}

/**
 * Prepares a connection to a pooler that gives each transaction another connection to the server. Another client would meet a
 * named statement or a parameter of the session there, so statements have no name, and each transaction begins with its
 * parameters.
 */
function useTransactionPooler(client: pg.Client, parameters: Parameters): void {
  const begin = `${BEGIN}; ${setParameters('local', parameters)}`;
  const query = client.query.bind(client) as (...values: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) =>
    query(statement === BEGIN ? begin : unnamed(statement), ...rest)) as typeof client.query;
}

function unnamed(statement: unknown): unknown {
  return typeof statement === 'object' ? { ...statement, name: undefined } : statement;
}
