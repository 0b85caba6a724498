import { beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST, serviceEnvironment } from '../../support/build.js';
import { start } from '../../support/clean-up.js';
import { call, leaveUnanswered, type Call } from '../../support/http/client.js';
import { anyKind } from '../../support/databases.js';
import { exchangeRaw } from '../../support/http/raw.js';
import { freePort } from '../../support/servers/free-port.js';
import { Service, sharedService } from '../../support/service.js';
import { preload, watchModules } from '../../support/preload.js';
import { until } from '../../support/until.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

describe('the log', () => {
  const service = sharedService(anyKind);
  let id: string;
  let key: string;

  beforeAll(async () => {
    const issued = await service.issue();
    id = issued.id;
    key = issued.key;
  });

  /** The log line of the request with this id. */
  const lineOf = (requestId: unknown) =>
    until(() => service.logged('request').find((line) => line.requestId === requestId));

  /** Makes a request and waits for its line. */
  async function logged(options: Call): Promise<Record<string, unknown>> {
    const answer = await service.call(options);
    return lineOf(answer.headers['x-request-id']);
  }

  it('consists of one JSON object per line', async () => {
    await logged({ path: '/v1/pets', key });
    // The getter parses every line, and fails on one that is not JSON.
    for (const line of service.log) {
      expect(LEVELS).toContain(line.level);
      expect(new Date(line.time as string).toISOString()).toBe(line.time);
      expect(typeof line.msg).toBe('string');
    }
  });

  it.each([
    [{ path: '/v1/pets?limit=1' }, '/v1/pets', 200],
    [{ path: '/v1/pets/-1' }, '/v1/pets/:petId', 404],
    [{ method: 'POST', path: '/v1/pets', body: { name: 'Rex', categoryId: 1 } }, '/v1/pets', 201],
    [{ method: 'POST', path: '/v1/pets', body: '{' }, '/v1/pets', 400],
    [{ path: '/v1/nothing/here' }, null, 404],
    [{ method: 'PUT', path: '/v1/pets' }, null, 405],
    [{ path: '/v1/pets', key: undefined }, '/v1/pets', 401],
    [{ path: '/docs' }, '/docs', 200],
  ])('names the caller, route and status of a request: %j', async (options, route, status) => {
    const line = await logged({ key, ...options });
    const caller = 'key' in options || route === '/docs' ? '127.0.0.1' : id;
    expect(line).toMatchObject({ caller, route, status, level: 'info' });
    expect(line.requestId).toMatch(UUID);
    expect(line.durationMs).toBeGreaterThan(0);
    expect(line.durationMs).toBeLessThan(30_000);
  });

  it('has one line with status 499 for a caller that leaves before the response', async () => {
    await leaveUnanswered(service.url, { path: '/v1/pets', key, headers: { 'x-request-id': 'left' } });
    expect(await lineOf('left')).toMatchObject({
      caller: id,
      method: 'POST',
      route: '/v1/pets',
      status: 499,
    });
    await logged({ path: '/v1/pets', key });
    expect(service.log.filter((line) => line.requestId === 'left')).toHaveLength(1);
  });

  describe('X-Request-Id', () => {
    const echoOf = async (headers: Call['headers'], path = '/v1/pets') =>
      (await service.call({ path, key, headers })).headers['x-request-id'] as string;

    it.each(['a', 'A.b_c-9', '0', '...', 'x'.repeat(64), '550e8400-e29b-41d4-a716-446655440000'])(
      'is taken from the request: %s',
      async (given) => {
        for (const path of ['/v1/pets', '/v1/nothing', '/health/live', '/nothing', '/v1/pets?limit=0']) {
          expect(await echoOf({ 'x-request-id': given }, path)).toBe(given);
        }
        expect(await lineOf(given)).toMatchObject({ requestId: given });
      },
    );

    it.each([undefined, ['a', 'b'], '', 'x'.repeat(65), 'a b', 'é', 'a,b', 'a:b'])(
      'is generated instead of %j',
      async (given) => {
        const headers: Call['headers'] = given === undefined ? {} : { 'x-request-id': given };
        const first = await echoOf(headers);
        expect(first).toMatch(UUID);
        expect(await echoOf(headers)).not.toBe(first);
      },
    );
  });

  it('never includes a key from any part of a request, nor does the response', async () => {
    // A part of the key behind the twelve characters that are shown of it.
    const secret = key.slice(12, 24);
    const unicode = key.replace('a', '\\u0061');
    const post = { method: 'POST', path: '/v1/pets', key };
    const paths = [
      `/v1/pets?api_key=${key}`,
      `/v1/pets?${key}=1`,
      `/v1/pets?cursor=${key.replace('_', '%5F')}`,
    ];
    for (const folder of ['/v1/pets/', '/v1/', '/', '/docs/', '/v1/pets/%zz']) paths.push(folder + key);
    const headers: NonNullable<Call['headers']>[] = [
      ...[`Basic ${key}`, `Bearer ${key}x`].map((authorization) => ({ authorization })),
      { 'x-api-key': key, cookie: `key=${key}`, 'user-agent': key, referer: key, 'x-forwarded-for': key },
      ...[{ 'if-match': key, 'idempotency-key': key }, { 'x-request-id': `${key}.1` }, { host: key }],
    ];
    const bodies = [
      JSON.stringify({ name: 1, [key]: key }),
      `{"name": "${unicode}", "categoryId": "${unicode}"}`,
    ];
    const calls: Call[] = [
      ...paths.flatMap((path) => [{ path, key }, { path }, { method: 'DELETE', path, key }]),
      ...headers.flatMap((each) => [
        { path: '/v1/pets', headers: each },
        { path: '/v1/pets', key, headers: each },
      ]),
      ...[...bodies, `{"${key}": 1, "${key}": 2}`, `{"name":${key}}`, key].map((body) => ({ ...post, body })),
      { ...post, body: '{}', headers: { 'content-type': `application/json; charset=${key}` } },
      { ...post, body: '{}', headers: { 'content-encoding': key } },
    ];
    for (const options of calls) {
      const answer = await service.call(options);
      const shown = JSON.stringify({ ...answer.headers, 'x-request-id': '' }) + answer.text;
      expect({ options, shown }).toEqual({ options, shown: expect.not.stringContaining(secret) });
      expect(answer.status).toBeLessThan(500);
    }
    await exchangeRaw(service.url, `GET /v1/pets?${key} HTTP/9.9\r\n${key}\r\n\r\n`);
    await logged({ path: '/v1/pets', key });
    expect(service.stdout).not.toContain(secret);
    expect(service.stderr).not.toContain(secret);
    expect(service.log.length).toBeGreaterThan(calls.length);
  });
});

describe('the log', () => {
  // No demo key is printed in production.
  const environment = async () => ({ ...(await anyKind.create()).env, NODE_ENV: 'production' });

  // logger.spec.ts has what other levels leave out.
  it('has debug lines with LOG_LEVEL=trace, and no warning of a normal start and request', async () => {
    // Without an endpoint of traces, OpenTelemetry is not loaded.
    const watch = preload(watchModules('@opentelemetry'));
    const service = await Service.start({ ...(await environment()), ...watch, LOG_LEVEL: 'trace' });
    const key = await service.issueKey();
    expect((await service.call({ path: '/v1/pets', key })).status).toBe(200);
    await service.untilLogged('request');
    await service.call({ path: '/health/live' });
    const probed = await until(() => service.log.find(({ route }) => route === '/health/live'));
    expect(probed).toMatchObject({ level: 'debug', status: 200 });
    expect(new Set(service.log.map(({ level }) => level))).toEqual(new Set(['debug', 'info']));
    // The port of metrics is closed by default.
    expect(service.logged('serving metrics')).toEqual([]);
    expect(service.stdout).not.toContain(key.slice(4));
    expect(service.stderr).toBe('');
    expect(await service.stop()).toBe(0);
  });

  it('does not end the service when no process reads it', async () => {
    const PORT = String(await freePort());
    const url = `http://127.0.0.1:${PORT}`;
    const env = serviceEnvironment({ ...(await environment()), PORT });
    const child = start(process.execPath, [join(DIST, 'main.js')], { env, cwd: tmpdir(), stdio: 'pipe' });
    child.stdout?.destroy();
    child.stderr?.destroy();
    await until(async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok);
    for (let request = 0; request < 3; request += 1)
      expect((await call(url, { path: '/v1/pets' })).status).toBe(401);
    child.kill();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
