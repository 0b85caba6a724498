import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { Redis, type Result } from 'ioredis';
import pg from 'pg';

/*
 * What the same stack costs with nothing around it: Fastify, named statements, a response schema and one script for both
 * windows. It checks no key and validates nothing, so it is a floor and no service.
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
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const redis = new Redis(process.env.REDIS_URL ?? '', { keyPrefix: 'bench-floor:' });
redis.defineCommand('countBoth', {
  numberOfKeys: 2,
  lua: `
    local minute, day = redis.call('INCR', KEYS[1]), redis.call('INCR', KEYS[2])
    if minute == 1 then redis.call('EXPIRE', KEYS[1], 60) end
    if day == 1 then redis.call('EXPIRE', KEYS[2], 86400) end
    return { minute, day }`,
});

const integer = { type: 'integer' };
const text = { type: 'string' };
const pet = { type: 'object', properties: { id: integer, name: text, categoryId: integer, status: text } };

const app = fastify();

async function count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const now = Date.now();
  const minute = Math.floor(now / MINUTE_MS);
  const key = request.headers.authorization ?? '';
  const [ofMinute, ofDay] = await redis.countBoth(
    `${key}:${minute}`,
    `${key}:day:${Math.floor(now / DAY_MS)}`,
  );
  reply.header('X-RateLimit-Limit', PER_MINUTE);
  reply.header('X-RateLimit-Remaining', PER_MINUTE - ofMinute);
  reply.header('X-RateLimit-Reset', (minute + 1) * 60);
  if (ofMinute > PER_MINUTE || ofDay > PER_DAY) await reply.code(429).send();
}
app.addHook('onRequest', count);

interface ListQuery {
  status: string;
  limit: string;
  after: string;
}

app.get<{ Querystring: ListQuery }>(
  '/v1/pets',
  { schema: { response: { 200: { type: 'array', items: pet } } } },
  async ({ query }) => {
    const { rows } = await pool.query<object>({
      name: 'list',
      // The service's own statement (docs/decisions/0044-expression-index.md).
      text: `select ${COLUMNS} from pets where status = $1 and (id + 0) > $2 order by (id + 0) limit $3`,
      values: [query.status, query.after, query.limit],
    });
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
process.on('SIGTERM', () => process.exit(0));
