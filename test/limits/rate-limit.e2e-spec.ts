import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call, callRaw, type Answer } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { API_ANSWERS } from '../support/http/api-answers.js';
import { until, untilMinuteHasRoom } from '../support/until.js';
import { redisKinds, type TestRedis } from '../support/servers/redis.js';
import { cleanUp, Service } from '../support/service.js';

const LIMIT_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
];
const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);
const minuteEnd = () => (Math.floor(Date.now() / 60_000) + 1) * 60;

describe.each(redisKinds)('the rate limit, counted $name', (redisKind) => {
  let database: TestDatabase;
  let redis: TestRedis;
  let service: Service;

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
    redis = await redisKind.create();
    service = await Service.start({
      ...database.env,
      ...redis.env,
      CORS_ORIGINS: 'https://shop.example',
      ANONYMOUS_PER_MINUTE: '300',
    });
  });
  afterAll(async () => {
    await cleanUp();
    await redis.drop();
  });

  const small = (perMinute: number, perDay: number) => service.issue({ perMinute, perDay });

  it.each(API_ANSWERS)(
    'counts a request once and shows it in the headers: %s',
    async (_what, status, options) => {
      const key = await service.issueKey({ plan: 'free' });
      await untilMinuteHasRoom();
      expect(remaining(await call(service.url, { path: '/v1/pets', key }))).toBe(59);
      const answer = await call(service.url, { key, ...options });
      expect(answer.status).toBe(status);
      for (const name of LIMIT_HEADERS) expect([name, answer.headers[name]]).not.toEqual([name, undefined]);
      expect(answer.headers['x-ratelimit-limit']).toBe('60');
      expect(remaining(answer)).toBe(58);
      expect(Number(answer.headers['x-ratelimit-reset'])).toBe(minuteEnd());
      expect(answer.headers['ratelimit-policy']).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
      expect(answer.headers.ratelimit).toMatch(/^"minute";r=58;t=\d+, "day";r=998;t=\d+$/);
    },
  );

  describe('for an unauthenticated caller', () => {
    let before: number;
    beforeEach(async () => {
      await untilMinuteHasRoom();
      before = remaining(await call(service.url, { path: '/v1/pets' }));
    });

    it.each(API_ANSWERS)('counts a request with 401 once: %s', async (_what, _status, options) => {
      const answer = await call(service.url, options);
      expect(answer.status).toBe(401);
      expect(answer.headers['x-ratelimit-limit']).toBe('300');
      expect(answer.headers['ratelimit-policy']).toBe('"minute";q=300;w=60');
      expect(remaining(answer)).toBe(before - 1);
    });

    it('counts paths outside the API, but no preflight and no open path', async () => {
      const outside = await call(service.url, { path: '/nowhere' });
      expect([outside.status, remaining(outside)]).toEqual([404, before - 1]);
      const preflight = {
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
      };
      const ofApi = await call(service.url, { ...preflight, path: '/v1/pets' });
      expect([ofApi.status, remaining(ofApi)]).toEqual([204, before - 1]);
      for (const path of ['/docs', '/openapi.json', '/health/live']) {
        const open = await call(service.url, { path });
        const ofOpen = await call(service.url, { ...preflight, path });
        expect([open.status, open.headers['x-ratelimit-limit']]).toEqual([200, undefined]);
        expect([ofOpen.status, ofOpen.headers['x-ratelimit-limit']]).toEqual([204, undefined]);
      }
      expect(await callRaw(service.url, 'NONSENSE\r\n\r\n')).not.toMatch(/x-ratelimit/i);
      expect(remaining(await call(service.url, { path: '/nowhere' }))).toBe(before - 2);
    });

    it('counts getRateLimit, which is free with a key', async () => {
      expect(remaining(await call(service.url, { path: '/v1/rate-limit' }))).toBe(before - 1);
      const key = await service.issueKey({ plan: 'pro' });
      const answer = await call(service.url, { path: '/v1/rate-limit', key });
      expect(answer.body).toEqual({
        plan: 'pro',
        windows: [
          { name: 'minute', limit: 300n, remaining: 300n, resetAt: BigInt(minuteEnd()) },
          { name: 'day', limit: 10_000n, remaining: 10_000n, resetAt: expect.any(BigInt) },
        ],
        bannedUntil: null,
      });
      // A malformed request reaches no guard.
      for (const path of ['/v1/rate-limit?limit=1', '/v1/rate-limit?%zz'])
        expect((await call(service.url, { path, key })).status).toBe(400);
      expect(remaining(await call(service.url, { path: '/v1/pets', key }))).toBe(299);
    });
  });

  it('refuses requests over the minute before other errors, without counting them in the day', async () => {
    const { key } = await small(3, 100);
    await untilMinuteHasRoom();
    for (let left = 2; left >= 0; left -= 1)
      expect(remaining(await call(service.url, { path: '/v1/pets', key }))).toBe(left);
    for (const [, , options] of API_ANSWERS) {
      const refused = await call(service.url, { key, ...options });
      expect(refused.status).toBe(429);
      if (options.method !== 'HEAD') expect(refused.body).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(refused.headers['x-ratelimit-reset']).toBe(String(minuteEnd()));
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(refused.headers.ratelimit).toMatch(/^"minute";r=0;t=\d+, "day";r=97;t=\d+$/);
    }
  });

  it('shows the window that resets later if both are exhausted', async () => {
    const { key } = await small(2, 2);
    await untilMinuteHasRoom();
    await call(service.url, { path: '/v1/pets', key });
    await call(service.url, { path: '/v1/pets', key });
    const askedAtMs = Date.now();
    const refused = await call(service.url, { path: '/v1/pets', key });
    const answeredAtMs = Date.now();
    const midnight = (Math.floor(askedAtMs / 86_400_000) + 1) * 86_400;
    expect(refused.status).toBe(429);
    expect(refused.headers['x-ratelimit-reset']).toBe(String(midnight));
    const secondsFrom = (ms: number) => Math.ceil(midnight - ms / 1000);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(secondsFrom(askedAtMs));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(secondsFrom(answeredAtMs));
  });

  it('bans a key on the refusal above ten times the limit, until the ban is lifted', async () => {
    const issued = await small(1, 1000);
    const get = () => call(service.url, { path: '/v1/pets', key: issued.key });
    await untilMinuteHasRoom();
    await get();
    for (let refusal = 1; refusal <= 10; refusal += 1)
      expect((await get()).body).toMatchObject({ code: 'rate_limit_exceeded' });
    const banned = await get();
    expect(banned.status).toBe(429);
    expect(banned.body).toMatchObject({ code: 'api_key_banned' });
    expect(banned.headers['x-ratelimit-limit']).toBe('1');
    expect(banned.headers['x-ratelimit-remaining']).toBe('0');
    expect(Math.abs(Number(banned.headers['retry-after']) - 600)).toBeLessThanOrEqual(1);
    await service.untilLogged('banned a key');

    const limits = await call(service.url, { path: '/v1/rate-limit', key: issued.key });
    expect(limits.status).toBe(200);
    const { bannedUntil } = JSON.parse(limits.text) as { bannedUntil: string };
    // The ban is written in the background.
    const kept = await until(async () => {
      const shown = await service.keys('show', issued.id, '--json');
      return (JSON.parse(shown.stdout) as { bannedUntil: string | null }).bannedUntil ?? undefined;
    });
    expect(kept).toBe(bannedUntil);
    expect(service.log.find(({ msg }) => msg === 'banned a key')).toMatchObject({ keyId: issued.id });

    const lifted = JSON.parse((await service.keys('unban', issued.id, '--json')).stdout) as {
      bannedUntil: null;
    };
    expect(lifted.bannedUntil).toBeNull();
    const deadline = Date.now() + 1_000;
    let after = await get();
    while (after.text.includes('api_key_banned') && Date.now() < deadline) after = await get();
    expect(after.text).not.toContain('api_key_banned');
    expect(await service.untilLogged('lifted the ban of a key')).toMatchObject({ keyId: issued.id });
  });
});
