import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { describeOnServers } from '../support/servers/redis.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';

const AWAY = 'Redis is away: limits are decided in memory';

// redis.fault-spec.ts has what callers notice while Redis is away, counters-with-fallback.spec.ts what is counted.
describeOnServers('a service whose REDIS_URL does not fit its Redis', (kind) => {
  const start = async (changes: Partial<URL>) => {
    const database = await kind.create();
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
