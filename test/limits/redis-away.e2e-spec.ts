import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { dayLeft } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { redisKinds, type TestRedis } from '../support/servers/redis.js';
import { ownService, Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { until, untilDayHasRoom } from '../support/until.js';

const shared = redisKinds.find(({ name }) => name === 'in Redis');
const AWAY = 'Redis is away: limits are decided in memory';
const BACK = 'Redis is back: limits are shared again';
const withRedis = shared ? describe : describe.skip;

/** More than the 100 ms of the contract, because it covers the whole request on a busy machine; bench/ measures. */
const MAX_REQUEST_MS = 1_000;

withRedis('the rate limit while Redis is unavailable', () => {
  let redis: TestRedis;
  let proxy: TcpProxy;
  const service = ownService(anyKind, async () => {
    redis = await shared!.create();
    proxy = await TcpProxy.before(redis.env.REDIS_URL!);
    return { REDIS_URL: proxy.url };
  });

  let key: string;
  // What memory admitted in one outage counts in the next, so each test has its own key.
  beforeEach(async () => {
    key = await service.issueKey({ perDay: 500 });
  });

  const get = () => service.call({ path: '/v1/pets?limit=1', key });
  const logged = (message: string) => service.logged(message).length;

  it.each([
    ['cut off', () => proxy.cut()],
    ['frozen', () => proxy.freeze()],
  ])(
    'counts in memory from the last known counts, and in Redis again afterwards (%s)',
    async (_how, fail) => {
      const outages = logged(AWAY);
      await untilDayHasRoom();
      const before = dayLeft(await get());
      fail();
      for (let used = 1; used <= 20; used += 1) {
        const begun = performance.now();
        const answer = await get();
        expect([answer.status, dayLeft(answer)]).toEqual([200, before - used]);
        expect(performance.now() - begun).toBeLessThan(MAX_REQUEST_MS);
      }
      expect((await service.call({ path: '/health/ready' })).status).toBe(200);
      await until(() => logged(AWAY) === outages + 1);
      proxy.restore();
      await until(() => logged(BACK) === outages + 1);
      // Requests admitted in memory are not added to the shared counters.
      expect(dayLeft(await get())).toBeGreaterThan(before - 20);
    },
  );

  // redis-counters.spec.ts has the start from recorded usage when the counters are lost.
  it('drops and logs a foreign value in Redis', async () => {
    const client = new Redis(redis.env.REDIS_URL!);
    await get();
    for (const name of await client.keys('*')) {
      await client.del(name);
      await client.lpush(name, 'not a counter');
    }
    for (let times = 0; times < 2; times += 1) expect((await get()).status).toBe(200);
    client.disconnect();
    await service.untilLogged('dropped a foreign or broken counter in Redis');
  });
});

withRedis('a service whose REDIS_URL does not fit its Redis', () => {
  const start = async (changes: Partial<URL>) => {
    const database = await anyKind.create();
    const url = Object.assign(new URL(process.env.TEST_REDIS_URL!), changes).href;
    // No demo key is printed in production.
    return Service.start({ ...database.env, REDIS_URL: url, NODE_ENV: 'production', LOG_LEVEL: 'debug' });
  };

  it('decides in memory instead of in database 0, and logs the reason once', async () => {
    const service = await start({ pathname: '/999999' });
    const { id, key } = await service.issue();
    expect((await service.call({ path: '/v1/pets', key })).status).toBe(200);
    await until(() => service.logged('connection failed').length > 3);
    expect(service.logged('Redis is not used: its database cannot be selected')).toMatchObject([
      { level: 'error' },
    ]);
    expect(service.logged(AWAY)).toHaveLength(1);
    expect(
      service.logged('Redis does not answer yet: until it does, limits are decided in memory'),
    ).toMatchObject([{ level: 'warn', err: { message: expect.stringContaining('DB index') } }]);
    const client = new Redis(process.env.TEST_REDIS_URL!);
    expect(await client.exists(`rate-limit:{key:${id}}`)).toBe(0);
    client.disconnect();
  });

  it('logs as a JSON object what ioredis writes to the console', async () => {
    const client = new Redis(process.env.TEST_REDIS_URL!);
    const username = `no-info-${randomUUID()}`;
    await client.acl('SETUSER', username, 'on', '>hunter2', '~*', '+@all', '-info');
    const service = await start({ username, password: 'hunter2' });
    expect(await service.untilLogged('a library reports a problem')).toMatchObject({
      level: 'warn',
      detail: expect.stringMatching(/^Skipping the ready check because INFO command fails/),
    });
    expect(await service.stop()).toBe(0);
    expect(service.stderr).toBe('');
    await client.acl('DELUSER', username);
    client.disconnect();
  });
});
