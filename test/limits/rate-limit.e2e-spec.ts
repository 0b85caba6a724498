import { beforeEach, describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { API_ANSWERS } from '../support/http/api-answers.js';
import { requestsLeft } from '../support/http/client.js';
import { exchangeRaw } from '../support/http/raw.js';
import { redisKinds } from '../support/servers/redis.js';
import { ownService } from '../support/service.js';
import { until, untilMinuteHasRoom } from '../support/until.js';

const minuteEnd = () => (Math.floor(Date.now() / 60_000) + 1) * 60;

// limit-headers.spec.ts has the window that the headers show, counters.spec.ts the rules of bans.
describe.each(redisKinds)('the rate limit, counted $name', (redisKind) => {
  const service = ownService(anyKind, async () => {
    const { env } = await redisKind.create();
    return { ...env, CORS_ORIGINS: 'https://shop.example', ANONYMOUS_PER_MINUTE: '300' };
  });

  const get = (path: string, key?: string) => service.call({ path, key });

  // These are the first requests that the service gets.
  it('leaves simultaneous first calls of getRateLimit free of charge', async () => {
    const key = await service.issueKey({ plan: 'free' });
    await untilMinuteHasRoom();
    const first = await Promise.all(Array.from({ length: 8 }, () => get('/v1/rate-limit', key)));
    expect(first.map(requestsLeft)).toEqual(Array<number>(8).fill(60));
    expect(requestsLeft(await get('/v1/pets', key))).toBe(59);
    expect(requestsLeft(await get('/v1/rate-limit', key))).toBe(59);
  });

  it.each(API_ANSWERS)(
    'counts a request once and shows it in the headers: %s',
    async (_what, status, options) => {
      const key = await service.issueKey({ plan: 'free' });
      await untilMinuteHasRoom();
      expect(requestsLeft(await get('/v1/pets', key))).toBe(59);
      const answer = await service.call({ key, ...options });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '58',
        'x-ratelimit-reset': String(minuteEnd()),
        'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
        ratelimit: expect.stringMatching(/^"minute";r=58;t=\d+, "day";r=998;t=\d+$/),
      });
    },
  );

  describe('for an unauthenticated caller', () => {
    let before: number;
    beforeEach(async () => {
      await untilMinuteHasRoom();
      before = requestsLeft(await get('/v1/pets'));
    });

    it.each(API_ANSWERS)('counts a request with 401 once: %s', async (_what, _status, options) => {
      const answer = await service.call(options);
      expect(answer.status).toBe(401);
      expect(answer.headers['x-ratelimit-limit']).toBe('300');
      expect(answer.headers['ratelimit-policy']).toBe('"minute";q=300;w=60');
      expect(requestsLeft(answer)).toBe(before - 1);
    });

    it('counts paths outside the API, but no preflight, no open path and no malformed request', async () => {
      const outside = await get('/nowhere');
      expect([outside.status, requestsLeft(outside)]).toEqual([404, before - 1]);
      const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
      const preflight = (path: string) => service.call({ method: 'OPTIONS', path, headers });
      const ofApi = await preflight('/v1/pets');
      expect([ofApi.status, requestsLeft(ofApi)]).toEqual([204, before - 1]);
      for (const path of ['/docs', '/openapi.json', '/health/live']) {
        await get(path);
        const { status, headers } = await preflight(path);
        expect([status, headers['x-ratelimit-limit']]).toEqual([204, undefined]);
      }
      const [refused] = await exchangeRaw(service.url, 'NONSENSE\r\n\r\n');
      expect(Object.keys(refused!.headers).join()).not.toContain('ratelimit');
      for (const target of ['/v1/pets/%zz', '/v1/pets?status=%ff']) {
        const malformed = await get(target);
        expect([malformed.status, requestsLeft(malformed)]).toEqual([400, before - 1]);
      }
      expect(requestsLeft(await get('/nowhere'))).toBe(before - 2);
    });

    it('counts getRateLimit, which is free with a key', async () => {
      expect(requestsLeft(await get('/v1/rate-limit'))).toBe(before - 1);
      const { id, key } = await service.issue({ plan: 'pro' });
      expect((await get('/v1/rate-limit', key)).body).toEqual({
        plan: 'pro',
        key: { id, name: 'test', prefix: key.slice(0, 12), access: 'manage', expiresAt: null },
        windows: [
          { name: 'minute', limit: 300n, remaining: 300n, resetAt: BigInt(minuteEnd()) },
          { name: 'day', limit: 10_000n, remaining: 10_000n, resetAt: expect.any(BigInt) },
        ],
        bannedUntil: null,
      });
      // A malformed request reaches no guard.
      for (const query of ['limit=1', '%zz'])
        expect((await get(`/v1/rate-limit?${query}`, key)).status).toBe(400);
      expect(requestsLeft(await get('/v1/pets', key))).toBe(299);
    });
  });

  it('refuses requests over the minute before other errors, without counting them in the day', async () => {
    const key = await service.issueKey({ perMinute: 3, perDay: 100 });
    await untilMinuteHasRoom();
    for (const left of [2, 1, 0]) expect(requestsLeft(await get('/v1/pets', key))).toBe(left);
    for (const [, , options] of API_ANSWERS) {
      const { status, body, headers } = await service.call({ key, ...options });
      expect(status).toBe(429);
      if (options.method !== 'HEAD') expect(body).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(headers['x-ratelimit-reset']).toBe(String(minuteEnd()));
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(headers.ratelimit).toMatch(/^"minute";r=0;t=\d+, "day";r=97;t=\d+$/);
    }
  });

  it('bans a key on the refusal above ten times the limit, until the ban is lifted', async () => {
    const { id: keyId, key } = await service.issue({ perMinute: 1, perDay: 1_000 });
    const bannedUntil = async (command: string) =>
      (JSON.parse((await service.keys(command, keyId, '--json')).stdout) as { bannedUntil: string | null })
        .bannedUntil;
    await untilMinuteHasRoom();
    await get('/v1/pets', key);
    for (let refusal = 1; refusal <= 10; refusal += 1)
      expect((await get('/v1/pets', key)).body).toMatchObject({ code: 'rate_limit_exceeded' });
    const banned = await get('/v1/pets', key);
    expect(banned.body).toMatchObject({ code: 'api_key_banned', status: 429n });
    expect(banned.headers).toMatchObject({ 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' });
    expect(Math.abs(Number(banned.headers['retry-after']) - 600)).toBeLessThanOrEqual(1);
    expect(await service.untilLogged('banned a key')).toMatchObject({ keyId });

    const limits = await get('/v1/rate-limit', key);
    expect(limits.status).toBe(200);
    // The ban is written in the background.
    const kept = await until(async () => (await bannedUntil('show')) ?? undefined);
    expect(limits.body).toMatchObject({ bannedUntil: kept });

    expect(await bannedUntil('unban')).toBeNull();
    const liftedBy = performance.now();
    await until(async () => !(await get('/v1/pets', key)).text.includes('api_key_banned'));
    expect(performance.now() - liftedBy).toBeLessThan(1_000);
  });
});
