import type { Writable } from 'node:stream';
import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { isConnectionLost, isSessionEnded } from './database.errors.js';

/** A statement that was lost later than this is not repeated, because its caller gets 503 within 3 s. */
const REPEAT_WITHIN_MS = 1_000;
/** How long the server may take to close its side of a connection. */
const CLOSE_WITHIN_MS = 3_000;

interface Connection {
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
  private readonly slots: (Connection | undefined)[];

  /** `create` makes a client with `pipeline: true`; connections are opened when they are first needed. */
  constructor(
    size: number,
    private readonly create: () => Client,
  ) {
    this.slots = Array.from({ length: size });
  }

  /** @throws the error of the statement or of the connection; a statement that waited for too long is not repeated. */
  async query<Row extends QueryResultRow>(
    config: QueryConfig,
    connection = this.leastBusy(),
  ): Promise<QueryResult<Row>> {
    const sentAtMs = performance.now();
    try {
      return await this.send<Row>(config, connection);
    } catch (error) {
      if (!isConnectionLost(error) || performance.now() > sentAtMs + REPEAT_WITHIN_MS) throw error;
      return this.send<Row>(config, this.leastBusy());
    }
  }

  /** Runs a statement on every open connection, because they may lead to different servers. Opens one if none is open. */
  queryEach<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>[]> {
    const open = this.open();
    const chosen = open.length > 0 ? open : [this.leastBusy()];
    return Promise.all(chosen.map((connection) => this.query<Row>(config, connection)));
  }

  /** Resolves when the statements under way are answered and the connections are closed. A later statement opens new ones. */
  async close(): Promise<void> {
    const open = this.open();
    this.slots.fill(undefined);
    await Promise.all(open.map(({ client }) => end(client)));
  }

  private open(): Connection[] {
    return this.slots.filter((slot) => slot !== undefined);
  }

  private async send<Row extends QueryResultRow>(
    config: QueryConfig,
    connection: Connection,
  ): Promise<QueryResult<Row>> {
    connection.pending += 1;
    corkUntilNextTick(connection.client);
    try {
      return await connection.client.query<Row>(config);
    } catch (error) {
      // The connection may report its end only later; until then a repeated statement would choose it again.
      if (isSessionEnded(error)) this.forget(connection);
      throw connection.failure ?? error;
    } finally {
      connection.pending -= 1;
    }
  }

  private leastBusy(): Connection {
    let best: Connection | undefined;
    for (const [index, connection] of this.slots.entries()) {
      if (!connection && best?.pending !== 0) return this.connect(index);
      if (connection && (!best || connection.pending < best.pending)) best = connection;
    }
    if (!best) throw new RangeError('no connections');
    return best;
  }

  private connect(index: number): Connection {
    const client = this.create();
    const connection: Connection = { client, pending: 0 };
    this.slots[index] = connection;
    const forget = () => this.forget(connection);
    client.on('error', forget).on('end', forget);
    client.connect().catch((error: unknown) => {
      connection.failure = error;
      forget();
    });
    return connection;
  }

  private forget(connection: Connection): void {
    const index = this.slots.indexOf(connection);
    if (index >= 0) this.slots[index] = undefined;
  }
}

/** Closes a connection. A server that has fallen silent never closes its side, so the socket is destroyed after a while. */
async function end(client: Client): Promise<void> {
  const timer = setTimeout(() => streamOf(client).destroy(), CLOSE_WITHIN_MS);
  await client.end();
  clearTimeout(timer);
}

/** Sends the statements of one tick in one write, because a write costs about as much as running a statement. */
function corkUntilNextTick(client: Client): void {
  const stream = streamOf(client);
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function streamOf({ connection }: Client): Writable {
  return (connection as unknown as { stream: Writable }).stream;
}
