import { expect, it } from '@jest/globals';
import { describeOnServer, onDatabase } from '../support/databases.js';
import { creation, requestsLeft } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { ownService } from '../support/service.js';
import { untilMinuteHasRoom } from '../support/until.js';

describeOnServer('rate limit headers of failed requests', (kind) => {
  let proxy: TcpProxy;
  const service = ownService(kind, async ({ DATABASE_URL }) => {
    proxy = await TcpProxy.before(DATABASE_URL!);
    return { DATABASE_URL: proxy.url };
  });

  const list = (key?: string) => service.call({ path: '/v1/pets', key });
  // plan-throttler.guard.spec.ts has the failures of the key look-up.
  it('show one counted request for a 500', async () => {
    const key = await service.issueKey({ plan: 'free' });
    await untilMinuteHasRoom();
    expect(requestsLeft(await list(key))).toBe(59);
    await onDatabase(service, 'alter table pets add constraint unexpected check (false) not valid');
    const answer = await service.call({ ...creation({ name: 'Rex', categoryId: 7 }), key });
    await onDatabase(service, 'alter table pets drop constraint unexpected');
    expect(expectError(answer, 'internal_error')).not.toMatch(/pets|constraint|insert/i);
    expect(requestsLeft(answer)).toBe(58);
    expect((await list(key)).status).toBe(200);
  });

  it('show the unchanged window of the address for a 503 without a key look-up', async () => {
    const known = await service.issueKey({ plan: 'free' });
    const fresh = await service.issueKey({ plan: 'free' });
    await untilMinuteHasRoom();
    await list(known);
    const before = requestsLeft(await list());
    proxy.cut();
    // A key read a moment ago is cached, so its 503 counts like any response.
    const counted = await list(known);
    expect([counted.status, requestsLeft(counted)]).toEqual([503, 58]);
    const paths = ['/v1/pets', '/v1/nowhere'].map((path) => ({ path }));
    for (const request of [...paths, creation('{')]) {
      const answer = await service.call({ ...request, key: fresh });
      expectError(answer, 'service_unavailable');
      expect([answer.headers['retry-after'], requestsLeft(answer)]).toEqual(['1', before]);
    }
    // A malformed key needs no look-up.
    expectError(await list(`${fresh}x`), 'invalid_api_key');
    proxy.restore();
  });
});
