import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, type Answer } from '../support/http/client.js';
import { databaseKinds, describeOnServer, onDatabase, type TestDatabase } from '../support/databases.js';
import { untilKeyChangesAreRead } from '../support/keys.js';
import { untilMinuteHasRoom } from '../support/until.js';
import { cleanUp, Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';

const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);

describeOnServer('rate limit headers of failed requests', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: Service;

  beforeAll(async () => {
    database = await kind.create();
    proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    service = await Service.start({ ...database.env, DATABASE_URL: proxy.url });
  });
  afterAll(async () => {
    await cleanUp();
    await proxy.close();
  });

  it('show one counted request for a 500', async () => {
    const key = await service.issueKey({ plan: 'free' });
    await untilMinuteHasRoom();
    expect(remaining(await call(service.url, { path: '/v1/pets', key }))).toBe(59);
    await onDatabase(database, 'alter table pets rename to dogs');
    const answer = await call(service.url, { path: '/v1/pets', key });
    await onDatabase(database, 'alter table dogs rename to pets');
    expect(answer.body).toMatchObject({ code: 'internal_error', status: 500n });
    expect(answer.text).not.toMatch(/pets|relation|select/i);
    expect(remaining(answer)).toBe(58);
  });

  it('show one counted request of the address for a 500 of the key look-up', async () => {
    const key = await service.issueKey();
    await untilMinuteHasRoom();
    const before = remaining(await call(service.url, { path: '/v1/pets' }));
    await onDatabase(database, 'alter table api_keys rename to secrets');
    const answer = await call(service.url, { path: '/v1/pets', key });
    await onDatabase(database, 'alter table secrets rename to api_keys');
    expect(answer.body).toMatchObject({ code: 'internal_error', status: 500n });
    expect(remaining(answer)).toBe(before - 1);
    expect((await call(service.url, { path: '/v1/pets', key })).status).toBe(200);
  });

  it('show the unchanged window of the address for a 503 without a key look-up', async () => {
    const [known, fresh] = await Promise.all([
      service.issueKey({ plan: 'free' }),
      service.issueKey({ plan: 'free' }),
    ]);
    await untilKeyChangesAreRead(service);
    await untilMinuteHasRoom();
    await call(service.url, { path: '/v1/pets', key: known });
    const before = remaining(await call(service.url, { path: '/v1/pets' }));
    proxy.cut();
    // A key read a moment ago is cached, so its 503 counts like any response.
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

describe('the address of a caller', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
  });
  afterAll(cleanUp);

  it('comes from the trusted proxy: IPv6 as /64, IPv4-mapped as IPv4, invalid values ignored', async () => {
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
    // The trusted proxy added the last address of the list.
    expect(await left('192.0.2.1, 192.0.2.9')).toBe(49);
    const own = remaining(await call(service.url, { path: '/v1/pets' }));
    expect(await left('not an address')).toBe(own - 1);
    expect(await left('999.1.1.1, ')).toBe(own - 2);
    expect(await service.stop()).toBe(0);
    // The log names the addresses that are counted.
    const callers = service.log.filter(({ msg }) => msg === 'request').map(({ caller }) => caller);
    expect([...new Set(callers)]).toEqual([
      '192.0.2.1',
      '192.0.2.2',
      '2001:db8::/64',
      '2001:db8:0:1::/64',
      '192.0.2.9',
      '127.0.0.1',
    ]);
  });
});
