import { beforeAll, expect, it } from '@jest/globals';
import { Agent } from 'node:http';
import { call, callUnchecked } from '../support/http/client.js';
import { statusesOf } from '../support/http/load.js';
import { onDatabase, type TestDatabase } from '../support/databases.js';
import { describeOnServers } from '../support/servers/redis.js';
import { Service } from '../support/service.js';
import { atOnce, untilDayHasRoom, untilMinuteHasRoom } from '../support/until.js';

const REPLICAS = 4;
const REQUESTS = 20_000;
const LIMIT = 1_000;
const ROUNDS = 3;
const CONNECTIONS_A_REPLICA = 16;

/** The number of responses of each status to many requests at once over kept connections; 0 for a broken connection. */
async function flood(urls: string[], key: string): Promise<Record<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_A_REPLICA });
  const answers = await atOnce(REQUESTS, (index) =>
    callUnchecked(urls[index % urls.length]!, { path: '/v1/pets?limit=1', key }, agent).catch(() => ({
      status: 0,
    })),
  );
  agent.destroy();
  return statusesOf(answers);
}

describeOnServers('four replicas and one Redis', (kind, inRedis) => {
  let database: TestDatabase;
  let replicas: Service[];
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await kind.create();
    env = { ...database.env, ...(await inRedis.create()).env, LOG_LEVEL: 'info' };
    replicas = await atOnce(REPLICAS, () => Service.start(env));
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
      expect(await flood(urls(), await issue())).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT });
    }
  });

  it('admit no more requests when a replica is killed and restarted', async () => {
    const key = await issue();
    await untilDayHasRoom();
    const flooding = flood(urls(), key);
    const [victim, ...others] = replicas as [Service, ...Service[]];
    await victim.stop('SIGKILL');
    const [started, statuses] = await Promise.all([Service.start(env), flooding]);
    replicas = [started, ...others];
    // Some responses of the killed replica never arrived.
    expect(statuses[200]).toBeLessThanOrEqual(LIMIT);
    expect(['0', '200', '429']).toEqual(expect.arrayContaining(Object.keys(statuses)));
    expect((await started.call({ path: '/v1/pets', key })).status).toBe(429);
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
    const { body } = await replicas[0]!.call({ path: '/v1/rate-limit', key });
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
