import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import { call } from '../support/http/client.js';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { redisKinds, type TestRedis } from '../support/servers/redis.js';
import { cleanUp, Service } from '../support/service.js';
import { untilDayHasRoom, untilMinuteHasRoom } from '../support/until.js';

const REPLICAS = 4;
const REQUESTS = 20_000;
const LIMIT = 1_000;
const ROUNDS = 3;
const CONNECTIONS_A_REPLICA = 16;

const shared = redisKinds.find(({ name }) => name === 'in Redis');
const postgresql = databaseKinds.find(({ name }) => name === 'postgresql');
// Replicas need a shared database and Redis; without them the tests are reported as skipped.
const withServers = shared && postgresql ? describe : describe.skip;

/** Statuses of many simultaneous requests over kept connections; 0 for a broken connection. */
async function flood(urls: string[], key: string, count: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_A_REPLICA });
  const one = (url: string) =>
    new Promise<void>((resolve) => {
      const record = (status: number) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        resolve();
      };
      request(`${url}/v1/pets?limit=1`, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
        answer.resume();
        answer.on('end', () => record(answer.statusCode ?? 0));
        answer.on('error', () => record(0));
      })
        .on('error', () => record(0))
        .end();
    });
  await Promise.all(Array.from({ length: count }, (_, index) => one(urls[index % urls.length]!)));
  agent.destroy();
  return statuses;
}

withServers('four replicas and one Redis', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let replicas: Service[];
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await postgresql!.create();
    redis = await shared!.create();
    env = { ...database.env, ...redis.env, LOG_LEVEL: 'info' };
    replicas = await Promise.all(Array.from({ length: REPLICAS }, () => Service.start(env)));
  });
  afterAll(async () => {
    await cleanUp();
    await redis.drop();
  });

  /** A key limited per day, so that the number of minutes that the flood takes does not matter. */
  const issue = () => replicas[0]!.issueKey({ perDay: LIMIT });
  const urls = () => replicas.map(({ url }) => url);
  /** Asks every replica until none gives the answer from before a change, for at most a second. */
  async function withinASecond(ask: (url: string) => Promise<unknown>, before: unknown): Promise<unknown[]> {
    const deadline = Date.now() + 1_000;
    let seen = await Promise.all(urls().map(ask));
    while (seen.includes(before) && Date.now() < deadline) seen = await Promise.all(urls().map(ask));
    return seen;
  }

  it(`admit exactly ${LIMIT} of ${REQUESTS} simultaneous requests in each of ${ROUNDS} rounds`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await untilDayHasRoom();
      const statuses = await flood(urls(), await issue(), REQUESTS);
      expect(Object.fromEntries(statuses)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT });
    }
  });

  it('admit no more requests when a replica is killed and restarted', async () => {
    const key = await issue();
    await untilDayHasRoom();
    const flooding = flood(urls(), key, REQUESTS);
    const [victim, ...others] = replicas as [Service, ...Service[]];
    await victim.stop('SIGKILL');
    const [started, statuses] = await Promise.all([Service.start(env), flooding]);
    replicas = [started, ...others];
    // Some responses of the killed replica never arrived.
    expect(statuses.get(200)).toBeLessThanOrEqual(LIMIT);
    expect([...statuses.keys()].filter((status) => ![0, 200, 429].includes(status))).toEqual([]);
    expect((await call(started.url, { path: '/v1/pets', key })).status).toBe(429);
  });

  it('refuse a revoked key within a second', async () => {
    const { key, id } = await replicas[0]!.issue();
    const statusAt = async (url: string) => (await call(url, { path: '/v1/pets', key })).status;
    expect(await Promise.all(urls().map(statusAt))).toEqual([200, 200, 200, 200]);
    await replicas[0]!.keys('revoke', id);
    expect(await withinASecond(statusAt, 200)).toEqual([401, 401, 401, 401]);
  });

  it('apply a new plan to the running window within a second', async () => {
    const { key, id } = await replicas[0]!.issue({ plan: 'free' });
    await untilMinuteHasRoom();
    const limitAt = async (url: string) => {
      const { headers } = await call(url, { path: '/v1/pets', key });
      return /"minute";q=(\d+)/.exec(String(headers['ratelimit-policy']))?.[1];
    };
    expect(await Promise.all(urls().map(limitAt))).toEqual(['60', '60', '60', '60']);
    await replicas[0]!.keys('set-plan', id, 'pro');
    expect(await withinASecond(limitAt, '60')).toEqual(['300', '300', '300', '300']);
    const { body } = await call(replicas[0]!.url, { path: '/v1/rate-limit', key });
    const { windows } = body as unknown as { windows: { limit: bigint; remaining: bigint }[] };
    expect(windows[0]!.remaining).toBeLessThanOrEqual(300n - 8n);
  });

  it('write their admitted and refused requests once when they stop', async () => {
    const { key, id } = await replicas[0]!.issue({ perMinute: 1_000, perDay: 10 });
    await untilDayHasRoom();
    for (let round = 0; round < 3; round += 1) {
      for (const { url } of replicas) await call(url, { path: '/v1/pets', key });
    }
    await Promise.all(replicas.map((replica) => replica.stop()));
    const select = 'select admitted, refused from usage_days where key_id = $1';
    expect(await onDatabase(database, select, [id])).toEqual([{ admitted: '10', refused: '2' }]);
  });
});
