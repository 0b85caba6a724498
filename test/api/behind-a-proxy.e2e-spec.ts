import { describe, expect, it } from '@jest/globals';
import { embedded } from '../support/databases.js';
import { requestsLeft } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { ownService } from '../support/service.js';
import { storeOf } from '../support/store.js';
import { until, untilMinuteHasRoom } from '../support/until.js';

const PUBLIC = 'http://api.example.com/store/v1';
const STAGING = 'https://staging.example.com/v1';

describe('the service behind a proxy', () => {
  const service = ownService(embedded, {
    PUBLIC_BASE_URL: PUBLIC,
    STAGING_BASE_URL: STAGING,
    ENFORCE_SUNSET: 'true',
    TRUST_PROXY: '1',
    ANONYMOUS_PER_MINUTE: '50',
  });
  const store = storeOf(service);
  const reader = storeOf(service, { access: 'read' });

  it('builds links from PUBLIC_BASE_URL, which requires TLS only if it has it', async () => {
    const made = await store.post({ name: 'a', categoryId: 1 });
    expect(made.headers.location).toBe(`${PUBLIC}/pets/1`);
    expect(made.headers['strict-transport-security']).toBeUndefined();
    await store.create('b', 1);
    const { link, 'x-next-cursor': cursor } = (await store.list('limit=1')).headers;
    expect(link).toBe(`<${PUBLIC}/pets?limit=1&cursor=${String(cursor)}>; rel="next"`);
    const { servers, info } = JSON.parse((await service.call({ path: '/openapi.json' })).text) as {
      servers: { url: string }[];
      info: { description: string };
    };
    expect(servers.map(({ url }) => url)).toEqual([PUBLIC, STAGING]);
    expect(info.description).toContain('[Every code](http://api.example.com/store/docs/errors)');
  });

  it('answers endpoint_removed to getPet before validation, and after 401 and 405', async () => {
    for (const path of ['/v1/pets/1', '/v1/pets/abc', '/v1/pets/1?limit=0', 'http://example.com/v1/pets/1']) {
      const answer = await reader.get(path);
      expect(expectError(answer, 'endpoint_removed')).toContain('GET /pets?');
      expect(answer.headers.sunset).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
      expect(answer.headers.link).toContain('<http://api.example.com/store/docs>; rel="deprecation"');
      expectError(await service.call({ path }), 'missing_api_key');
      expectError(await store.send({ method: 'PUT', path, body: '{' }), 'method_not_allowed');
    }
    expectError(await store.get('/v1/pets/1/2'), 'route_not_found');
    expect((await store.get('/v1/pets')).status).toBe(200);
  });

  it('takes the address of a caller from the trusted proxy, IPv6 as /64 and IPv4-mapped as IPv4', async () => {
    const left = async (address?: string) => {
      const headers: Record<string, string> = { 'x-request-id': 'from' };
      if (address !== undefined) headers['x-forwarded-for'] = address;
      const answer = await service.call({ path: '/v1/pets', headers });
      return requestsLeft(answer);
    };
    await untilMinuteHasRoom();
    const expected: [address: string, left: number, caller: string][] = [
      ['192.0.2.1', 49, '192.0.2.1'],
      ['192.0.2.2', 49, '192.0.2.2'],
      ['::ffff:192.0.2.1', 48, '192.0.2.1'],
      ['2001:db8::1', 49, '2001:db8::/64'],
      ['2001:db8::ffff:2', 48, '2001:db8::/64'],
      // Some proxies add the port.
      ['192.0.2.1:40001', 47, '192.0.2.1'],
      ['[2001:db8::7]:40001', 47, '2001:db8::/64'],
      ['2001:db8:0:1::1', 49, '2001:db8:0:1::/64'],
      // The trusted proxy added the last address of the list.
      ['192.0.2.1, 192.0.2.9', 49, '192.0.2.9'],
    ];
    for (const [address, count] of expected) expect([address, await left(address)]).toEqual([address, count]);
    // An invalid value is ignored.
    const own = await left();
    expect([await left('not an address'), await left('999.1.1.1, ')]).toEqual([own - 1, own - 2]);
    // The log names the addresses that are counted.
    const counted = [...expected.map(([, , caller]) => caller), ...Array<string>(3).fill('127.0.0.1')];
    const callers = await until(() => {
      const requests = service.log.filter(({ requestId }) => requestId === 'from');
      return requests.length >= counted.length && requests.map(({ caller }) => caller);
    });
    expect(callers).toEqual(counted);
  });
});
