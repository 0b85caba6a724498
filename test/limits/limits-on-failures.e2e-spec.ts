import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { call, type Answer } from '../support/http/client.js';
import { databaseKinds, describeOnServer, type TestDatabase } from '../support/databases.js';
import { untilKeyChangesAreRead } from '../support/keys.js';
import { untilMinuteHasRoom } from '../support/until.js';
import { cleanUp, Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';

const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);

describeOnServer('limits on answers of a service in trouble', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: Service;

  beforeAll(async () => {
    database = await kind.create();
    proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    service = await Service.start({ ...database.env, DATABASE_URL: proxy.url });
  });
  afterAll(async () => {
    await service.stop();
    await proxy.close();
    await database.drop();
  });

  it('show and charge once on a 500', async () => {
    const key = await service.issueKey({ plan: 'free' });
    const client = new pg.Client({ connectionString: database.env.DATABASE_URL! });
    await client.connect();
    await untilMinuteHasRoom();
    expect(remaining(await call(service.url, { path: '/v1/pets', key }))).toBe(59);
    await client.query('alter table pets rename to dogs');
    const answer = await call(service.url, { path: '/v1/pets', key });
    await client.query('alter table dogs rename to pets');
    await client.end();
    expect(answer.body).toMatchObject({ code: 'internal_error', status: 500n });
    expect(answer.text).not.toMatch(/pets|relation|select/i);
    expect(remaining(answer)).toBe(58);
  });

  it('show the window of the address, uncharged, on a 503 for a key that cannot be checked', async () => {
    const [known, fresh] = await Promise.all([
      service.issueKey({ plan: 'free' }),
      service.issueKey({ plan: 'free' }),
    ]);
    await untilKeyChangesAreRead(service);
    await untilMinuteHasRoom();
    await call(service.url, { path: '/v1/pets', key: known });
    const before = remaining(await call(service.url, { path: '/v1/pets' }));
    proxy.cut();
    // A key read a moment ago is known, so its 503 counts like any answer.
    const counted = await call(service.url, { path: '/v1/pets', key: known });
    expect([counted.status, remaining(counted)]).toEqual([503, 58]);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await call(service.url, { path: '/v1/pets', key: fresh });
      expect(answer.body).toMatchObject({ code: 'service_unavailable' });
      expect(answer.headers['retry-after']).toBe('1');
      expect(remaining(answer)).toBe(before);
    }
    proxy.restore();
  });
});

describe('addresses', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
  });
  afterAll(cleanUp);

  it('are those a trusted proxy vouches for, IPv6 by /64, IPv4-mapped as IPv4, and never garbage', async () => {
    const service = await Service.start({ ...database.env, TRUST_PROXY: '1', ANONYMOUS_PER_MINUTE: '50' });
    const left = async (address: string) =>
      remaining(await call(service.url, { path: '/v1/pets', headers: { 'x-forwarded-for': address } }));
    await untilMinuteHasRoom();
    expect(await left('192.0.2.1')).toBe(49);
    expect(await left('192.0.2.2')).toBe(49);
    expect(await left('::ffff:192.0.2.1')).toBe(48);
    expect(await left('2001:db8::1')).toBe(49);
    expect(await left('2001:db8::ffff:2')).toBe(48);
    expect(await left('2001:db8:0:1::1')).toBe(49);
    // The last of a list is what the trusted proxy added.
    expect(await left('192.0.2.1, 192.0.2.9')).toBe(49);
    const own = remaining(await call(service.url, { path: '/v1/pets' }));
    expect(await left('not an address')).toBe(own - 1);
    expect(await left('999.1.1.1, ')).toBe(own - 2);
    expect(await service.stop()).toBe(0);
  });

  it('are those of the connection unless a proxy is trusted; used up, they leave a valid key alone', async () => {
    const service = await Service.start({ ...database.env, ANONYMOUS_PER_MINUTE: '3' });
    const key = await service.issueKey({ plan: 'free' });
    // Until then a new key from an exhausted address counts as a guess.
    await untilKeyChangesAreRead(service);
    await untilMinuteHasRoom();
    for (let sent = 0; sent < 3; sent += 1) {
      const answer = await call(service.url, {
        path: '/v1/pets',
        headers: { 'x-forwarded-for': `192.0.2.${sent}` },
      });
      expect([answer.status, remaining(answer)]).toEqual([401, 2 - sent]);
    }
    for (const options of [
      { path: '/v1/pets' },
      { path: '/nowhere' },
      { path: '/v1/rate-limit', key: 'ask_nobody' },
    ]) {
      expect((await call(service.url, options)).body).toMatchObject({
        code: 'rate_limit_exceeded',
        status: 429n,
      });
    }
    const valid = await call(service.url, { path: '/v1/pets', key });
    expect([valid.status, remaining(valid)]).toEqual([200, 59]);
    expect(await service.stop()).toBe(0);
  });
});
