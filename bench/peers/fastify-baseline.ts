import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { startPgliteServer } from 'animal-store-pglite-server';
import { Redis, type Result } from 'ioredis';
import pg from 'pg';
import { listStatement, type ListQuery } from './list-statement.js';

/*
 * The minimal cost of the same stack: Fastify, named statements with generic plans, a response schema and one
 * script for both windows. It checks no key and validates nothing, so it is a baseline but not a service. With DATA_DIR it
 * uses the embedded database and counts in memory.
 */

const PER_MINUTE = 2_000_000_000;
const PER_DAY = 2_000_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const COLUMNS = 'id, name, category_id as "categoryId", status';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countBoth(minuteKey: string, dayKey: string): Result<[number, number], Context>;
  }
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const GENERIC_PLANS = { plan_cache_mode: 'force_generic_plan' };
const { DATA_DIR, DATABASE_URL, REDIS_URL } = process.env;

const embedded = DATA_DIR === undefined ? undefined : await startPgliteServer(DATA_DIR, GENERIC_PLANS);
const pool = new pg.Pool({
  max: 10,
  ...(embedded
    ? { host: embedded.directory, user: 'postgres', database: 'postgres' }
    : {
        connectionString: DATABASE_URL,
        options: `-c plan_cache_mode=${GENERIC_PLANS.plan_cache_mode}`,
      }),
});

const countBoth = REDIS_URL === undefined ? inMemory() : inRedis(new Redis(REDIS_URL));

function inRedis(redis: Redis) {
  redis.defineCommand('countBoth', {
    numberOfKeys: 2,
    lua: `
      local minute, day = redis.call('INCR', KEYS[1]), redis.call('INCR', KEYS[2])
      if minute == 1 then redis.call('EXPIRE', KEYS[1], 60) end
      if day == 1 then redis.call('EXPIRE', KEYS[2], 86400) end
      return { minute, day }`,
  });
  return (minuteKey: string, dayKey: string) =>
    redis.countBoth(`bench-fastify-baseline:${minuteKey}`, `bench-fastify-baseline:${dayKey}`);
}

function inMemory() {
  const counts = new Map<string, number>();
  const increment = (key: string) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
  return (minuteKey: string, dayKey: string) => [increment(minuteKey), increment(dayKey)] as const;
}

const integer = { type: 'integer' };
const text = { type: 'string' };
const pet = { type: 'object', properties: { id: integer, name: text, categoryId: integer, status: text } };

const app = fastify();

async function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const now = Date.now();
  const minute = Math.floor(now / MINUTE_MS);
  const key = request.headers.authorization ?? '';
  const [ofMinute, ofDay] = await countBoth(`${key}:${minute}`, `${key}:day:${Math.floor(now / DAY_MS)}`);
  reply.header('X-RateLimit-Limit', PER_MINUTE);
  reply.header('X-RateLimit-Remaining', PER_MINUTE - ofMinute);
  reply.header('X-RateLimit-Reset', (minute + 1) * 60);
  if (ofMinute > PER_MINUTE || ofDay > PER_DAY) await reply.code(429).send();
}
app.addHook('onRequest', count);

app.get<{ Querystring: ListQuery }>(
  '/v1/pets',
  { schema: { response: { 200: { type: 'array', items: pet } } } },
  async ({ query }) => {
    const { rows } = await pool.query<object>(listStatement(COLUMNS, query));
    return rows;
  },
);

app.get<{ Params: { petId: string } }>(
  '/v1/pets/:petId',
  { schema: { response: { 200: pet } } },
  async ({ params }, reply) => {
    const { rows } = await pool.query<object>({
      name: 'get',
      text: `select ${COLUMNS} from pets where id = $1`,
      values: [params.petId],
    });
    return rows[0] ?? reply.code(404).send();
  },
);

app.post<{ Body: { name: string; categoryId: number } }>(
  '/v1/pets',
  { schema: { response: { 201: pet } } },
  async ({ body }, reply) => {
    const { rows } = await pool.query<object>({
      name: 'create',
      text: `insert into pets (name, category_id, status) values ($1, $2, 'available') returning ${COLUMNS}`,
      values: [body.name, body.categoryId],
    });
    return reply.code(201).send(rows[0]);
  },
);

await app.listen({ port: Number(process.env.PORT) });
process.on('SIGTERM', () => void Promise.resolve(embedded?.close()).then(() => process.exit(0)));
