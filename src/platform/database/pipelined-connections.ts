import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { streamOf } from './database-internals.js';
import { hasNoConnectionLeft, isConnectionLost } from './database.errors.js';

/** A statement that was lost later than this is not repeated, because its caller gets 503 within 3 s. */
const REPEAT_WITHIN_MS = 1_000;
/** How long the server may take to close its side of a connection. */
const CLOSE_WITHIN_MS = 3_000;

/** How long no further connection is opened after the server has refused one. */
const REFUSED_FOR_MS = 10_000;

interface Pipeline {
  client: Client;
  /** Statements without an answer. */
  pending: number;
  /** Why the connection could not be opened. */
  failure?: unknown;
}

/**
 * Connections for single statements that only read. A statement is sent at once, behind those without an answer on the least
 * busy connection, and PostgreSQL answers in order. The statements of a connection that is lost run once more on another one,
 * while there is time.
 */
export class PipelinedConnections {
  private readonly connections = new Set<Pipeline>();
  /** When the server last refused a further connection. */
  private refusedAtMs = -Infinity;

  /** `create` makes a client with `pipeline: true`; at most `size` connections are opened when they are first needed. */
  constructor(
    private readonly size: number,
    private readonly create: () => Client,
  ) {}

  /** @throws the error of the statement or of the connection; a statement that waited for too long is not repeated. */
  async query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>> {
    const connection = this.leastBusy();
    const sentAtMs = performance.now();
    try {
      return await send<Row>(config, connection);
    } catch (error) {
      if (hasNoConnectionLeft(error)) {
        this.refusedAtMs = performance.now();
        if (this.connections.size > 0) return send(config, this.leastBusy());
      }
      if (!isConnectionLost(error)) throw error;
      // The connection may report its end only later; until then the repeated statement would choose it again.
      if (this.connections.delete(connection)) void end(connection.client);
      if (performance.now() > sentAtMs + REPEAT_WITHIN_MS) throw error;
      return send<Row>(config, this.leastBusy());
    }
  }

  /** Resolves when the statements under way are answered and the connections are closed. A later statement opens new ones. */
  async close(): Promise<void> {
    const open = [...this.connections];
    this.connections.clear();
    await Promise.all(open.map(({ client }) => end(client)));
  }

  private leastBusy(): Pipeline {
    const [best] = [...this.connections].sort((one, other) => one.pending - other.pending);
    const isFull =
      this.connections.size === this.size || performance.now() < this.refusedAtMs + REFUSED_FOR_MS;
    return best && (best.pending === 0 || isFull) ? best : this.connect();
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

async function send<Row extends QueryResultRow>(
  config: QueryConfig,
  connection: Pipeline,
): Promise<QueryResult<Row>> {
  connection.pending += 1;
  corkUntilTurnEnds(connection.client);
  try {
    return await connection.client.query<Row>(config);
  } catch (error) {
    throw connection.failure ?? error;
  } finally {
    connection.pending -= 1;
  }
}

/** Closes a connection. A server that has fallen silent never closes its side, so the socket is destroyed after a while. */
async function end(client: Client): Promise<void> {
  const timer = setTimeout(() => streamOf(client).destroy(), CLOSE_WITHIN_MS);
  await client.end();
  clearTimeout(timer);
}

/** Sends the statements of one turn of the event loop in one write, because a write costs about as much as running a statement. */
function corkUntilTurnEnds(client: Client): void {
  const stream = streamOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
