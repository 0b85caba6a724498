import { beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../../src/auth/keys/secrets/api-key-format.js';
import { DIST, serviceEnvironment } from '../../support/build.js';
import { start } from '../../support/clean-up.js';
import { call, leaveUnanswered, type Call } from '../../support/http/client.js';
import { anyKind } from '../../support/databases.js';
import { exchangeRaw } from '../../support/http/raw.js';
import { freePort } from '../../support/servers/free-port.js';
import { Service, sharedService } from '../../support/service.js';
import { atOnce, until } from '../../support/until.js';

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
    [{ path: '/v1/pets/abc' }, '/v1/pets/:petId', 404],
    [{ method: 'POST', path: '/v1/pets', body: { name: 'Rex', categoryId: 1 } }, '/v1/pets', 201],
    [{ method: 'POST', path: '/v1/pets', body: '{' }, '/v1/pets', 400],
    [{ path: '/v1/pets?limit=0' }, '/v1/pets', 400],
    [{ path: '/v1/nothing/here' }, null, 404],
    [{ method: 'PUT', path: '/v1/pets' }, null, 405],
  ])('names the caller, route and status of a request: %j', async (options, route, status) => {
    const line = await logged({ ...options, key });
    expect(line).toMatchObject({ caller: id, route, status, level: 'info' });
    expect(line.requestId).toMatch(UUID);
    expect(line.durationMs).toBeGreaterThan(0);
    expect(line.durationMs).toBeLessThan(30_000);
  });

  it('names the error of a request that reaches no operation', async () => {
    const line = await logged({ path: '/v1/pets/%zz', key });
    expect(line).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it.each([
    ['no key', {}],
    ['a malformed key', { authorization: 'Bearer nonsense' }],
    ['an unknown key', { authorization: `Bearer ${generateApiKey()}` }],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
  ])('names the address of a caller with %s', async (_what, headers) => {
    const line = await logged({ path: '/v1/pets', headers });
    expect(line).toMatchObject({ caller: '127.0.0.1', route: '/v1/pets', status: 401 });
  });

  it('includes requests outside /v1', async () => {
    expect(await logged({ path: '/docs' })).toMatchObject({ caller: '127.0.0.1', status: 200 });
    const nothing = { caller: '127.0.0.1', status: 404, route: null };
    expect(await logged({ path: '/nothing' })).toMatchObject(nothing);
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

    it.each(['', 'x'.repeat(65), 'a b', 'a/b', 'é', 'a,b', '"a"', 'a:b', '{}'])(
      'is generated instead of %j',
      async (given) => {
        const first = await echoOf({ 'x-request-id': given });
        expect(first).toMatch(UUID);
        expect(await echoOf({ 'x-request-id': given })).not.toBe(first);
      },
    );

    it('is generated if the request has two or none', async () => {
      expect(await echoOf({})).toMatch(UUID);
      expect(await echoOf({ 'x-request-id': ['a', 'b'] })).toMatch(UUID);
    });

    it('is sent with the response to malformed HTTP', async () => {
      const [answer] = await exchangeRaw(service.url, 'this is not HTTP\r\n\r\n');
      expect(answer!.headers['x-request-id']).toMatch(UUID);
    });
  });

  it('never includes a key from any part of a request, nor does the response', async () => {
    // A part of the key behind the twelve characters that are shown of it.
    const secret = key.slice(12, 24);
    const escaped = key.replace('_', '%5F');
    const unicode = key.replace('a', '\\u0061');
    const bearer = `Bearer ${key}`;
    const authorizations = [key, `Basic ${key}`, `${bearer}x`, `${bearer} ${key}`, [bearer, bearer]];
    const queries = [
      ...[`api_key=${key}`, `${key}=1`, `${key}=1&${key}=2`],
      ...[`status=${key}`, `limit=${key}`, `cursor=${key}`, `cursor=${escaped}`],
    ];
    const paths = ['/v1/pets/', '/v1/', '/', '/health/', '/docs/'].map((folder) => folder + key);
    const bodies = [
      JSON.stringify({ name: 1, [key]: key }),
      JSON.stringify({ name: key, categoryId: key, status: key }),
      `{"${unicode}": 1}`,
      `{"name": "${unicode}", "categoryId": 1, "status": "${unicode}"}`,
      `{"${key}": 1, "${key}": 2}`,
      ...[`{"${key}`, `"${key}`, `{"name":${key}}`, key],
    ];
    const types = [key, `application/${key}`, `application/json; charset=${key}`];
    const post = { method: 'POST', path: '/v1/pets', key };
    const others: NonNullable<Call['headers']>[] = [
      { 'x-api-key': key, cookie: `key=${key}`, 'user-agent': key, referer: key, origin: key },
      { 'if-none-match': key, 'idempotency-key': key, 'x-forwarded-for': key },
      ...[{ 'x-request-id': key }, { 'x-request-id': `${key}.1` }, { host: key }],
    ];
    const calls: Call[] = [
      ...authorizations.map((authorization) => ({ path: '/v1/pets', headers: { authorization } })),
      ...queries.flatMap((query) => [{ path: `/v1/pets?${query}`, key }, { path: `/v1/pets?${query}` }]),
      ...[...paths, `/v1/pets/${escaped}`].flatMap((path) => [
        ...[{ path, key }, { path }],
        { method: 'DELETE', path, key },
      ]),
      { path: `/v1/pets/%zz${key}`, key },
      ...bodies.map((body) => ({ ...post, body })),
      ...types.map((type) => ({ ...post, body: '{}', headers: { 'content-type': type } })),
      { ...post, body: '{}', headers: { 'content-encoding': key } },
      ...others.flatMap((headers) => [
        { path: '/v1/pets', headers },
        { path: '/v1/pets', key, headers },
      ]),
    ];
    for (const options of calls) {
      const answer = await service.call(options);
      const shown = JSON.stringify({ ...answer.headers, 'x-request-id': '' }) + answer.text;
      expect({ options, shown }).toEqual({ options, shown: expect.not.stringContaining(secret) });
      expect(answer.status).toBeLessThan(500);
    }
    await exchangeRaw(service.url, `GET /v1/pets?${key} HTTP/9.9\r\n${key}\r\n\r\n`);
    await exchangeRaw(
      service.url,
      `${key} /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    await exchangeRaw(
      service.url,
      `GET http://${key}/v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
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
    const service = await Service.start({ ...(await environment()), LOG_LEVEL: 'trace' });
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

  it('is dropped and counted while its pipe is full, and a signal still ends the service', async () => {
    const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
    const url = `http://127.0.0.1:${PORT}`;
    const settings = { PORT, METRICS_PORT, ANONYMOUS_PER_MINUTE: '1000000' };
    const env = serviceEnvironment({ ...(await environment()), ...settings });
    // Of what the service writes, only what fits into the pipe is read.
    const child = start(process.execPath, [join(DIST, 'main.js')], { env, cwd: tmpdir(), stdio: 'pipe' });
    await until(async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok);
    const dropped = async () => {
      const text = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
      return Number(/^log_lines_dropped_total (\d+)$/m.exec(text)![1]);
    };
    const dropMore = async () => {
      const before = await dropped();
      await until(async () => {
        const statuses = await atOnce(200, async () => (await fetch(`${url}/v1/pets`)).status);
        expect(new Set(statuses)).toEqual(new Set([401]));
        return (await dropped()) > before;
      });
    };
    await dropMore();
    let log = '';
    child.stdout!.on('data', (text: Buffer) => (log += String(text)));
    const missing = /"lines":(\d+),"msg":"dropped lines of the log that were not read"/;
    await until(() => missing.test(log));
    expect(Number(missing.exec(log)?.[1])).toBeGreaterThan(0);
    child.stdout!.pause();
    await dropMore();
    child.kill();
    expect(await once(child, 'exit')).toEqual([0, null]);
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
