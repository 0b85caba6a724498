import pg from 'pg';
import { listStatement, type Statement } from './list-statement.js';

/*
 * What the peers that show a limit ask PostgreSQL: two pipelined connections that are written once a turn of the event loop, JSON
 * made by PostgreSQL, and simultaneous inserts in one statement.
 */

const CONNECTIONS = 2;
const STATEMENTS_A_TURN = 16;
const ROWS_AN_INSERT = 16;
const PET_JSON = `concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id, ',"status":"', status, '"}')`;

interface Row {
  json: string | null;
}
export interface NewPet {
  name: string;
  categoryId: number;
}

/** What @types/pg lacks: `pipeline`, and a query with a callback of its own. */
type PipelinedConfig = pg.ClientConfig & { pipeline: true };
type Callback = (error: Error | undefined, result: pg.QueryResult<Row>) => void;
const Query = (pg as unknown as { Query: new (text: string, values: unknown[], done: Callback) => object })
  .Query;

const config: PipelinedConfig = {
  connectionString: process.env.DATABASE_URL,
  pipeline: true,
  options: '-c plan_cache_mode=force_generic_plan',
};
const connections = await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const client = new pg.Client(config);
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } })
      .connection;
    return { client, stream, waiting: 0 };
  }),
);
let turn = 0;

/** Sends a named statement on a connection that already writes in this turn, if one has room. */
function send({ name, text, values }: Statement): Promise<Row[]> {
  const connection =
    connections.find(({ waiting }) => waiting > 0 && waiting < STATEMENTS_A_TURN) ??
    connections[turn++ % CONNECTIONS]!;
  if (connection.waiting++ === 0) {
    connection.stream.cork();
    setImmediate(() => {
      connection.waiting = 0;
      connection.stream.uncork();
    });
  }
  return new Promise((resolve, reject) => {
    const query = new Query(text, values, (error, result) => (error ? reject(error) : resolve(result.rows)));
    connection.client.query(Object.assign(query, { name }) as never);
  });
}

const waiting: { pet: NewPet; resolve: (json: string) => void }[] = [];

/** Adds an animal; simultaneous ones share a statement. Resolves with its JSON. */
export function insert(pet: NewPet): Promise<string> {
  return new Promise((resolve) => {
    if (waiting.push({ pet, resolve }) === 1) setImmediate(() => void insertWaiting());
  });
}

async function insertWaiting(): Promise<void> {
  const batch = waiting.splice(0, ROWS_AN_INSERT);
  if (waiting.length > 0) setImmediate(() => void insertWaiting());
  const places = batch.map((_, index) => `($${2 * index + 1}, $${2 * index + 2}, 'available')`);
  const rows = await send({
    name: `insert-${batch.length}`,
    text: `insert into pets (name, category_id, status) values ${places.join(', ')} returning ${PET_JSON} as json`,
    values: batch.flatMap(({ pet }) => [pet.name, pet.categoryId]),
  });
  batch.forEach(({ resolve }, index) => resolve(rows[index]?.json ?? ''));
}

/** Resolves with the JSON of the page that the query of this URL asks for. */
export async function listPage(url: string): Promise<string> {
  const query = Object.fromEntries(new URLSearchParams(url.slice(url.indexOf('?') + 1)));
  const page = listStatement(`${PET_JSON} as json`, { limit: '20', after: '0', ...query });
  const text = `select string_agg(json, ',') as json from (${page.text}) page`;
  const [row] = await send({ ...page, text });
  return `[${row?.json ?? ''}]`;
}

/** Resolves with the JSON of an animal. */
export async function getOne(id: string): Promise<string> {
  const [row] = await send({
    name: 'get',
    text: `select ${PET_JSON} as json from pets where id = $1`,
    values: [id],
  });
  return row?.json ?? '{}';
}
