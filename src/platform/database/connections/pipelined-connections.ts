import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { isUnprepared } from '../../common/errors/database-errors.js';
import { queryOf, streamOf } from '../database-internals.js';

/** With more statements without an answer, the further ones of a turn go to the least busy connection: a burst is shared by all. */
const MOST_OF_A_TURN = 8;

interface Pipeline {
  client: Client;
  /** Statements without an answer. */
  pending: number;
  /** Why the connection could not be opened. */
  failure?: unknown;
}

/**
 * Connections for single statements that only read. The statements of one turn of the event loop are sent at once, behind those
 * without an answer on the least busy connection, and PostgreSQL answers in order.
 */
export class PipelinedConnections {
  private readonly connections = new Set<Pipeline>();

  /** `create` makes a client with `pipeline: true`; at most `size` connections are opened when they are first needed. */
  constructor(
    public size: number,
    private readonly create: () => Client,
  ) {}

  /** @throws the error of the statement or of the connection. */
  query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>> {
    const connection = this.ofThisTurn();
    const { client } = connection;
    connection.pending += 1;
    corkUntilTurnEnds(client);
    // Without a callback, `pg` makes three promises for a statement.
    return new Promise((resolve, reject) => {
      const query = queryOf<Row>(config, (error, result) => {
        connection.pending -= 1;
        if (!error) {
          resolve(result);
          return;
        }
        // `pg` would not prepare the statement again on this connection.
        if (isUnprepared(error) && this.connections.delete(connection)) void client.end();
        reject((connection.failure as Error | undefined) ?? error);
      });
      client.query(query);
    });
  }

  /** Closes the connections once their statements are answered. A later statement opens new ones. */
  close(): void {
    for (const { client } of this.connections) void client.end();
    this.connections.clear();
  }

  /** The connection of this turn's statements, because one write wakes one process of PostgreSQL, or the least busy one. */
  private ofThisTurn(): Pipeline {
    let best: Pipeline | undefined;
    for (const connection of this.connections) {
      const hasTurn = streamOf(connection.client).writableCorked > 0;
      if (hasTurn && connection.pending < MOST_OF_A_TURN) return connection;
      if (!best || connection.pending < best.pending) best = connection;
    }
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
