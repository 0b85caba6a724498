import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { listStatement, type Statement } from './list-statement.js';

/*
 * What Node and PostgreSQL can do at all: node:http without a framework, two pipelined connections that are written once a turn
 * of the event loop, JSON made by PostgreSQL, simultaneous inserts in one statement, limits counted in this process. It checks
 * no key, validates nothing, handles no error and counts for one replica only, so it is a limit and not a service.
 */

const CONNECTIONS = 2;
const STATEMENTS_A_TURN = 16;
const ROWS_AN_INSERT = 16;
const PER_MINUTE = 2_000_000_000;
const MINUTE_SECONDS = 60;
const PET_JSON = `concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id, ',"status":"', status, '"}')`;

interface Row {
  json: string | null;
}
interface NewPet {
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

function insert(pet: NewPet): Promise<string> {
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

async function listPage(url: string): Promise<string> {
  const query = Object.fromEntries(new URLSearchParams(url.slice(url.indexOf('?') + 1)));
  const page = listStatement(`${PET_JSON} as json`, { limit: '20', after: '0', ...query });
  const text = `select string_agg(json, ',') as json from (${page.text}) page`;
  const [row] = await send({ ...page, text });
  return `[${row?.json ?? ''}]`;
}

async function getOne(url: string): Promise<string> {
  const id = url.slice(url.lastIndexOf('/') + 1);
  const [row] = await send({
    name: 'get',
    text: `select ${PET_JSON} as json from pets where id = $1`,
    values: [id],
  });
  return row?.json ?? '{}';
}

async function bodyOf(request: IncomingMessage): Promise<NewPet> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as NewPet;
}

const counts = new Map<string, number>();

const server = createServer((request, response) => {
  const key = request.headers.authorization ?? '';
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  const { url = '', method } = request;
  if (!url.startsWith('/v1/pets')) return void response.writeHead(404).end();
  const answer =
    method === 'POST' ? bodyOf(request).then(insert) : url.includes('?') ? listPage(url) : getOne(url);
  void answer.then((json) => {
    response
      .writeHead(method === 'POST' ? 201 : 200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(json),
        'X-RateLimit-Limit': PER_MINUTE,
        'X-RateLimit-Remaining': PER_MINUTE - count,
        'X-RateLimit-Reset': Math.ceil(Date.now() / 1000 / MINUTE_SECONDS) * MINUTE_SECONDS,
      })
      .end(json);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
