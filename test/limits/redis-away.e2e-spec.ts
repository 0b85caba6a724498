import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { redisKinds, type TestRedis } from '../support/servers/redis.js';
import { dayLeft } from '../support/http/limits.js';
import { Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';

const shared = redisKinds.find(({ name }) => name === 'in Redis');
const AWAY = 'Redis is away: limits are decided in memory';
const BACK = 'Redis is back: limits are shared again';
const withRedis = shared ? describe : describe.skip;

/** Generous beside the contract of 100 ms, for the whole request on a busy machine; bench/ measures. */
const HANGING_MS = 1_000;

withRedis('while Redis is away', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let proxy: TcpProxy;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
    redis = await shared!.create();
    proxy = await TcpProxy.before(redis.env.REDIS_URL!);
    service = await Service.start({ ...database.env, REDIS_URL: proxy.url });
  });
  // What memory admitted in one outage counts in the next, so each test has a key of its own.
  beforeEach(async () => {
    key = await service.issueKey({ perDay: 500 });
  });
  afterAll(async () => {
    await service.stop();
    await proxy.close();
    await redis.drop();
    await database.drop();
  });

  const get = () => call(service.url, { path: '/v1/pets?limit=1', key });
  const logged = (message: string) => service.log.filter(({ msg }) => msg === message).length;

  /** Resolves when every outage so far is over. */
  const untilShared = async () => {
    while (logged(BACK) < logged(AWAY)) await get();
  };

  it.each([
    ['cut off', () => proxy.cut()],
    ['frozen', () => proxy.freeze()],
  ])(
    '%s: requests are decided in memory from the counts last seen, and shared again afterwards',
    async (_how, fail) => {
      const outages = logged(AWAY);
      const before = dayLeft(await get());
      fail();
      for (let used = 1; used <= 20; used += 1) {
        const begun = performance.now();
        const answer = await get();
        expect([answer.status, dayLeft(answer)]).toEqual([200, before - used]);
        expect(performance.now() - begun).toBeLessThan(HANGING_MS);
      }
      expect((await call(service.url, { path: '/health/ready' })).status).toBe(200);
      expect(logged(AWAY)).toBe(outages + 1);

      proxy.restore();
      await untilShared();
      // Nothing is added to the shared counters for what memory has let pass.
      expect(dayLeft(await get())).toBeGreaterThan(before - 20);
    },
  );

  it('decides on when the counters are forgotten, and starts the day from what usage has recorded', async () => {
    const before = dayLeft(await get());
    await redis.flush();
    expect(dayLeft(await get())).toBe(before - 1);
  });

  it('drops a foreign value under a key and says so', async () => {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.env.REDIS_URL!);
    await get();
    const names = await client.keys('*');
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      await client.del(name);
      await client.lpush(name, 'not a counter');
    }
    expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(200);
    client.disconnect();
    await service.untilLogged('dropped a foreign or broken counter in Redis');
  });
});
