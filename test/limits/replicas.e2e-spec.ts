import { beforeAll, expect, it } from '@jest/globals';
import { Agent } from 'node:http';
import { call, callUnchecked } from '../support/http/client.js';
import { statusesOf } from '../support/http/load.js';
import { onDatabase, type TestDatabase } from '../support/databases.js';
import { scrape, valueOf } from '../support/http/metrics.js';
import { describeOnServers } from '../support/servers/redis.js';
import { Service } from '../support/service.js';
import { atOnce, untilDayHasRoom, untilMinuteHasRoom } from '../support/until.js';

const REPLICAS = 4;
const REQUESTS = 12_000;
const LIMIT = 2_000;
/** An allowance is granted only while the window has room for 20 of its size. */
const LARGEST_ALLOWANCE = LIMIT / 20;
const CONNECTIONS_A_REPLICA = 16;

// counters-model.spec.ts and allowances.spec.ts have every rule of the counters that replicas share.
describeOnServers('four replicas and one Redis', (kind, inRedis) => {
  let database: TestDatabase;
  let replicas: Service[];
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await kind.create();
    env = { ...database.env, ...(await inRedis.create()).env, METRICS_PORT: '0' };
    replicas = await atOnce(REPLICAS, () => Service.start(env));
  });

  /** A key limited per day, so that the number of minutes that the flood takes does not matter. */
  const issue = () => replicas[0]!.issue({ perDay: LIMIT });
  /** The number of responses of each status to many requests at once; 0 for a broken connection. */
  async function flood(key: string, onAnswer: (count: number) => void = () => undefined) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_A_REPLICA });
    const urls = replicas.map(({ url }) => url);
    let answered = 0;
    const answers = await atOnce(REQUESTS, async (index) => {
      const asked = callUnchecked(urls[index % urls.length]!, { path: '/v1/pets?limit=1', key }, agent);
      const answer = await asked.catch(() => ({ status: 0 }));
      onAnswer((answered += 1));
      return answer;
    });
    agent.destroy();
    return statusesOf(answers);
  }
  /** Asks every replica until none gives the answer from before a change, for at most a second. */
  async function withinASecond(ask: (url: string) => Promise<unknown>, before: unknown): Promise<unknown[]> {
    const deadline = Date.now() + 1_000;
    const all = () => Promise.all(replicas.map(({ url }) => ask(url)));
    let seen = await all();
    while (seen.includes(before) && Date.now() < deadline) seen = await all();
    return seen;
  }

  it(`admit exactly ${LIMIT} of ${REQUESTS} simultaneous requests, also from allowances, and record all`, async () => {
    await untilDayHasRoom();
    const { id, key } = await issue();
    expect(await flood(key)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT });
    const series = 'rate_limit_decision_sources_total{source="allowance"}';
    const fromAllowances = await Promise.all(
      replicas.map(async (each) => valueOf(await scrape(each), series)),
    );
    expect(Math.max(...fromAllowances.map((count) => count ?? 0))).toBeGreaterThan(0);
    await Promise.all(replicas.map((replica) => replica.stop()));
    const select = 'select admitted, refused from usage_days where key_id = $1';
    const recorded = { admitted: String(LIMIT), refused: String(REQUESTS - LIMIT) };
    expect(await onDatabase(database, select, [id])).toEqual([recorded]);
    replicas = await atOnce(REPLICAS, () => Service.start(env));
  });

  it('admit no more requests when a replica is killed, and miss at most what it held', async () => {
    await untilDayHasRoom();
    const { key } = await issue();
    let killed: Promise<unknown> | undefined;
    const statuses = await flood(key, (answered) => {
      if (answered > LIMIT / 4) killed ??= replicas[0]!.stop('SIGKILL');
    });
    await killed;
    replicas[0] = await Service.start(env);
    expect(['0', '200', '429']).toEqual(expect.arrayContaining(Object.keys(statuses)));
    expect(statuses[200]).toBeLessThanOrEqual(LIMIT);
    expect(statuses[200]).toBeGreaterThanOrEqual(LIMIT - LARGEST_ALLOWANCE - CONNECTIONS_A_REPLICA);
    expect((await replicas[0].call({ path: '/v1/pets', key })).status).toBe(429);
  });

  it('refuse a revoked key within a second', async () => {
    const { key, id } = await replicas[0]!.issue();
    const statusAt = async (url: string) => (await call(url, { path: '/v1/pets', key })).status;
    expect(await Promise.all(replicas.map(({ url }) => statusAt(url)))).toEqual([200, 200, 200, 200]);
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
    expect(await Promise.all(replicas.map(({ url }) => limitAt(url)))).toEqual(['60', '60', '60', '60']);
    await replicas[0]!.keys('set-plan', id, 'pro');
    expect(await withinASecond(limitAt, '60')).toEqual(['300', '300', '300', '300']);
    const { body } = await replicas[0]!.call({ path: '/v1/rate-limit', key });
    const { windows } = body as unknown as { windows: { limit: bigint; remaining: bigint }[] };
    expect(windows[0]!.remaining).toBeLessThanOrEqual(300n - 8n);
  });
});
