import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { streamOf } from './database-internals.js';
import { isUnprepared } from './database.errors.js';

interface Pipeline {
  client: Client;
  /** Statements without an answer. */
  pending: number;
  /** Why the connection could not be opened. */
  failure?: unknown;
}

/**
 * Connections for single statements that only read. A statement is sent at once, behind those without an answer on the least
 * busy connection, and PostgreSQL answers in order.
 */
export class PipelinedConnections {
  private readonly connections = new Set<Pipeline>();

  /** `create` makes a client with `pipeline: true`; at most `size` connections are opened when they are first needed. */
  constructor(
    public size: number,
    private readonly create: () => Client,
  ) {}

  /** @throws the error of the statement or of the connection. */
  async query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>> {
    const connection = this.leastBusy();
    const { client } = connection;
    connection.pending += 1;
    corkUntilTurnEnds(client);
    try {
      return await client.query<Row>(config);
    } catch (error) {
      // `pg` would not prepare the statement again on this connection.
      if (isUnprepared(error) && this.connections.delete(connection)) void client.end();
      throw connection.failure ?? error;
    } finally {
      connection.pending -= 1;
    }
  }

  /** Closes the connections once their statements are answered. A later statement opens new ones. */
  close(): void {
    for (const { client } of this.connections) void client.end();
    this.connections.clear();
  }

  private leastBusy(): Pipeline {
    let best: Pipeline | undefined;
    for (const connection of this.connections)
      if (!best || connection.pending < best.pending) best = connection;
    return best && (best.pending === 0 || this.connections.size >= this.size) ? best : this.connect();
  }

  private connect(): Pipeline {
    const client = this.create();
    const connection: Pipeline = { client, pending: 0 };
    const forget = () => this.connections.delete(connection);
    client.on('error', forget).on('end', forget);
    client.connect().catch((error: unknown) => {
      connection.failure = error;
      forget();
    });
    this.connections.add(connection);
    return connection;
  }
}

/** Sends the statements of one turn of the event loop in one write, because a write costs about as much as running a statement. */
function corkUntilTurnEnds(client: Client): void {
  const stream = streamOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
