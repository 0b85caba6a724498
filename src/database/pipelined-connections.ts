import type { Writable } from 'node:stream';
import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { isConnectionLost } from './database.errors.js';

interface Connection {
  client: Client;
  /** Statements without an answer. */
  pending: number;
  /** Why the connection could not be opened. */
  failure?: unknown;
}

/**
 * Connections for single statements that only read. A statement is sent at once, behind those without an answer on the least
 * busy connection, and PostgreSQL answers in order. The statements of a connection that is lost run once more on another one.
 */
export class PipelinedConnections {
  private readonly slots: (Connection | undefined)[];

  /** `create` makes a client with `pipeline: true`; connections are opened when they are first needed. */
  constructor(
    size: number,
    private readonly create: () => Client,
  ) {
    this.slots = Array.from({ length: size });
  }

  /** @throws the error of the statement or of the connection; a statement that waited for too long is not repeated. */
  async query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>> {
    try {
      return await this.send<Row>(config);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      return this.send<Row>(config);
    }
  }

  /** Resolves when the statements under way are answered and the connections are closed. A later statement opens new ones. */
  async close(): Promise<void> {
    const open = this.slots.filter((slot) => slot !== undefined);
    this.slots.fill(undefined);
    await Promise.all(open.map(({ client }) => client.end()));
  }

  private async send<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>> {
    const connection = this.leastBusy();
    connection.pending += 1;
    gather(connection.client);
    try {
      return await connection.client.query<Row>(config);
    } catch (error) {
      throw connection.failure ?? error;
    } finally {
      connection.pending -= 1;
    }
  }

  private leastBusy(): Connection {
    let best: Connection | undefined;
    for (const [index, connection] of this.slots.entries()) {
      if (!connection && best?.pending !== 0) return this.open(index);
      if (connection && (!best || connection.pending < best.pending)) best = connection;
    }
    if (!best) throw new RangeError('no connections');
    return best;
  }

  private open(index: number): Connection {
    const client = this.create();
    const connection: Connection = { client, pending: 0 };
    this.slots[index] = connection;
    const forget = () => {
      if (this.slots[index] === connection) this.slots[index] = undefined;
    };
    client.on('error', forget).on('end', forget);
    client.connect().catch((error: unknown) => {
      connection.failure = error;
      forget();
    });
    return connection;
  }
}

/** Sends the statements of one turn of the event loop in one write, which costs as much as running one of them. */
function gather(client: Client): void {
  const { stream } = client.connection as unknown as { stream: Writable };
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
