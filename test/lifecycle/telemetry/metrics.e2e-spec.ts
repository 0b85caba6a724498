import { beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { leaveUnanswered, startPost } from '../../support/http/client.js';
import { anyKind } from '../../support/databases.js';
import { metricsUrl, scrape, seriesOf, valueOf } from '../../support/http/metrics.js';
import { until, untilMinuteHasRoom } from '../../support/until.js';
import { ownService, Service } from '../../support/service.js';

describe('metrics', () => {
  const service = ownService(anyKind, { METRICS_PORT: '0' });
  let key: string;

  beforeAll(async () => {
    key = await service.issueKey();
  });

  it('count and time every response by route, method and status', async () => {
    for (let request = 0; request < 3; request += 1) await service.call({ path: '/v1/pets', key });
    await service.call({ path: '/v1/pets/999', key });
    await service.call({ path: '/v1/pets/abc', key });
    await service.call({ method: 'POST', path: '/v1/pets', key, body: '{' });
    const text = await scrape(service);
    const count = (route: string, method: string, status: number) =>
      valueOf(text, `http_requests_total{route="${route}",method="${method}",status="${status}"}`);
    expect(count('/v1/pets', 'GET', 200)).toBe(3);
    expect(count('/v1/pets/:petId', 'GET', 404)).toBe(2);
    expect(count('/v1/pets', 'POST', 400)).toBe(1);
    const lists = 'route="/v1/pets",method="GET"';
    expect(valueOf(text, `http_request_duration_seconds_count{${lists}}`)).toBe(3);
    expect(valueOf(text, `http_request_duration_seconds_bucket{le="+Inf",${lists}}`)).toBe(3);
    const seconds = valueOf(text, `http_request_duration_seconds_sum{${lists}}`)!;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(30);
  });

  it('are refused under a foreign name, as of a page whose name is made to lead here', async () => {
    const { port } = new URL(metricsUrl(service));
    const statusFor = async (host: string) => {
      const request = get({ host: '127.0.0.1', port, path: '/metrics', headers: { host } });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusFor('evil.example')).toBe(421);
    expect(await statusFor(`localhost:${port}`)).toBe(200);
  });

  it('count a caller that leaves before the response as 499', async () => {
    await leaveUnanswered(service.url, { path: '/v1/pets', key });
    const left = 'http_requests_total{route="/v1/pets",method="POST",status="499"}';
    expect(await until(async () => valueOf(await scrape(service), left))).toBe(1);
  });

  it('have a bounded number of series for any paths and methods', async () => {
    const attempt = async (path: string) => {
      await service.call({ path, key });
      await service.call({ path: `/v1${path}`, key });
      await service.call({ method: 'DELETE', path: `/v1${path}`, key });
      for (const method of ['PROPFIND', 'PURGE', 'OPTIONS'])
        await service.call({ method, path: '/v1/pets', key });
    };
    await attempt('/first');
    const before = await scrape(service);
    for (let round = 0; round < 10; round += 1) await attempt(`/${'x'.repeat(round + 1)}`);
    const after = await scrape(service);
    expect(seriesOf(after, 'http_requests_total')).toEqual(seriesOf(before, 'http_requests_total'));
    expect(
      valueOf(after, 'http_requests_total{route="none",method="GET",status="404"}'),
    ).toBeGreaterThanOrEqual(22);
    expect(valueOf(after, 'http_requests_total{route="none",method="other",status="405"}')).toBe(22);
  });

  it('count each rate limit decision once by plan and outcome, except free requests', async () => {
    const small = await service.issueKey({ perMinute: 1, perDay: 1_000 });
    const free = await service.issueKey({ plan: 'free' });
    await untilMinuteHasRoom();
    const before = await scrape(service);
    const answers: string[] = [];
    for (let request = 0; request < 14; request += 1)
      answers.push((await service.call({ path: '/v1/pets', key: small })).text);
    await service.call({ path: '/v1/pets', key: free });
    await service.call({ path: '/v1/rate-limit', key: free });
    await service.call({ path: '/v1/pets' });
    await service.call({ path: '/v1/nowhere' });
    await service.call({ path: '/health/live' });
    const after = await scrape(service);
    const added = (plan: string, outcome: string) => {
      const series = `rate_limit_decisions_total{plan="${plan}",outcome="${outcome}"}`;
      return valueOf(after, series)! - valueOf(before, series)!;
    };
    const withCode = (code: string) => answers.filter((text) => text.includes(code)).length;
    expect(withCode('api_key_banned')).toBeGreaterThan(0);
    expect(added('enterprise', 'limited')).toBe(withCode('rate_limit_exceeded'));
    expect(added('enterprise', 'banned')).toBe(withCode('api_key_banned'));
    expect(added('enterprise', 'limited') + added('enterprise', 'banned')).toBe(13);
    expect(added('enterprise', 'admitted')).toBe(1);
    expect(added('free', 'admitted')).toBe(1);
    expect(added('anonymous', 'admitted')).toBe(2);
  });

  it('include no key, id, address or setting', async () => {
    const issued = await service.issue();
    await service.call({ path: '/v1/pets', key: issued.key });
    await service.call({ path: `/v1/${issued.key}`, key: issued.key });
    const text = await scrape(service);
    const secrets = ['ask_', issued.key.slice(12, 24), issued.id, ...Object.values(service.database.env)];
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/127\.0\.0\.1|::1/);
  });

  it('are the only content of their port', async () => {
    const url = metricsUrl(service);
    expect((await fetch(`${url}?name=x`)).status).toBe(200);
    expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(404);
    for (const path of ['/', '/metrics/', '/health/live', '/v1/pets'])
      expect((await fetch(new URL(path, url))).status).toBe(404);
    for (const path of ['/metrics', '/v1/metrics', '/health/metrics'])
      expect((await service.call({ path, key })).status).toBe(404);
  });

  it('are served until the API has closed, and do not delay the exit', async () => {
    // The last test, because it ends the service.
    await scrape(service);
    // The API cannot close before this request ends.
    const open = await startPost(service.url, { path: '/v1/pets', key }, 2);
    service.signal('SIGTERM');
    await service.untilLogged('draining');
    // This connection stays open.
    await scrape(service);
    open.end('{}');
    expect((await once(open, 'response'))[0]).toMatchObject({ statusCode: 400 });
    expect(await service.ended()).toBe(0);
    await expect(fetch(metricsUrl(service))).rejects.toThrow();
  });
});

it('a metrics port in use ends the start with one line', async () => {
  const database = await anyKind.create();
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const port = String((taken.address() as AddressInfo).port);
  const service = new Service({ ...database.env, METRICS_PORT: port });
  expect(await service.ended()).toBe(1);
  taken.close();
  expect(service.stderr).toMatch(/^METRICS_PORT: [^\n]*EADDRINUSE[^\n]*\n$/);
  expect(service.stderr).toContain(port);
});
