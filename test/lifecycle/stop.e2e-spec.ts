import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { call, callUnchecked, startPost } from '../support/http/client.js';
import { dayLeft } from '../support/http/limits.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { preload, SHORT_CLOSE_DEADLINE } from '../support/preload.js';
import { cleanUp, Service } from '../support/service.js';
import { until, untilDayHasRoom } from '../support/until.js';

/** Longer than a busy machine takes for the requests of a test. */
const SHUTDOWN_DELAY_MS = 4_000;
const PER_DAY = 1_000;

afterEach(() => Service.killAll());

const PET = JSON.stringify({ name: 'Latecomer', categoryId: 1 });

/** Sends a request to create a pet, up to the middle of its body. */
async function halfRequest(url: string, key: string): Promise<ClientRequest> {
  const outgoing = await startPost(url, { path: '/v1/pets', key }, PET.length);
  outgoing.write(PET.slice(0, 10));
  return outgoing;
}

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('error', () => resolve(true));
  }).finally(() => socket.destroy());
}

describe.each(databaseKinds)('a stopping service on $name', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await kind.create();
  });
  afterEach(cleanUp);

  it('answers all requests during the shutdown delay, then exits with 0 despite idle connections', async () => {
    const service = await Service.start({ ...database.env, SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS) });
    const key = await service.issueKey();
    const agent = new Agent({ keepAlive: true });
    const paths = ['/v1/pets', '/v1/pets', '/v1/nothing', '/health/live', '/docs'];
    const answers = await Promise.all(paths.map((path) => callUnchecked(service.url, { path, key }, agent)));
    expect(answers.map(({ headers }) => headers.connection)).toEqual(paths.map(() => 'keep-alive'));
    const { hostname, port } = new URL(service.url);
    const silent = connect(Number(port), hostname);
    silent.on('error', () => silent.destroy());
    await once(silent, 'connect');
    // The connections above stay open and idle. Other connections carry the requests below.
    const later = new Agent({ keepAlive: true });
    // Callers that obey Connection: close.
    const statuses: unknown[] = [];
    const lane = async () => {
      for (;;) {
        const { status, headers } = await callUnchecked(
          service.url,
          { path: '/v1/pets?limit=1', key },
          later,
        );
        statuses.push(status);
        if (headers.connection === 'close') return;
      }
    };
    const lanes = Promise.all(Array.from({ length: 8 }, lane));
    await Promise.race([lanes, until(() => statuses.length > 100)]);
    const signalled = performance.now();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) {
      service.signal(signal);
      await service.untilLogged('draining');
    }
    await lanes;
    expect(new Set(statuses)).toEqual(new Set([200]));

    const ready = await call(service.url, { path: '/health/ready' });
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect((await call(service.url, { path: '/health/live' })).status).toBe(200);
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nothing', '/docs', '/health/live']) {
      const { status, headers } = await callUnchecked(service.url, { path, key }, later);
      expect([path, headers.connection]).toEqual([path, 'close']);
      expect(status).toBeLessThan(500);
    }
    const body = { name: 'Last', categoryId: 1 };
    expect((await call(service.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);

    expect(await service.ended()).toBe(0);
    expect(service.log.filter(({ msg }) => msg === 'draining')).toHaveLength(1);
    const takenMs = performance.now() - signalled;
    expect(takenMs).toBeGreaterThanOrEqual(SHUTDOWN_DELAY_MS);
    // Nothing waits for the idle connections.
    expect(takenMs).toBeLessThan(SHUTDOWN_DELAY_MS + 5_000);
    expect(await isRefused(service.url)).toBe(true);
    silent.destroy();
    agent.destroy();
    later.destroy();
  });

  it('finishes open requests, and aborts one that does not end', async () => {
    await untilDayHasRoom();
    const service = await Service.start(database.env);
    const key = await service.issueKey({ perDay: PER_DAY });
    const half = await halfRequest(service.url, key);
    service.signal('SIGTERM');
    await until(() => isRefused(service.url));
    const finished = performance.now();
    half.end(PET.slice(10));
    const [answer] = (await once(half, 'response')) as [IncomingMessage];
    expect(answer).toMatchObject({ statusCode: 201, headers: { connection: 'close' } });
    expect(await text(answer)).toContain('"name":"Latecomer"');
    expect(await service.ended()).toBe(0);
    // The service ends soon after the last response.
    expect(performance.now() - finished).toBeLessThan(5_000);
    const next = await Service.start({ ...database.env, ...SHORT_CLOSE_DEADLINE });
    const list = await call(next.url, { path: '/v1/pets', key });
    expect(list.text).toContain('"name":"Latecomer"');
    // The day starts from the recorded late request. Usage also counts the list and this request.
    expect(dayLeft(list)).toBe(PER_DAY - 2);
    const usage = await call(next.url, { path: '/v1/usage?days=1', key });
    expect(usage.body).toMatchObject([{ admitted: 3n }]);
    const endless = await halfRequest(next.url, key);
    expect(await next.stop()).toBe(0);
    expect(endless.destroyed).toBe(true);
    expect(next.log).toContainEqual(
      expect.objectContaining({ level: 'warn', connections: 1, msg: 'cut off requests that did not end' }),
    );
  });

  it('exits with 0 on SIGTERM and SIGINT during its start, and can start again', async () => {
    const { env } = await kind.createUnmigrated();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      // A start that has issued a demo key prints it on stderr, and the signal may come then.
      const service = new Service({ ...env, NODE_ENV: 'production' });
      await service.untilLogged('listening');
      service.signal(signal);
      expect(await service.ended()).toBe(0);
      expect(service.stderr).toBe('');
    }
    const next = await Service.start(env);
    expect((await call(next.url, { path: '/v1/pets', key: await next.issueKey() })).status).toBe(200);
    expect(await next.stop()).toBe(0);
  });

  it('exits with 0 on a signal that arrives while it loads', async () => {
    // Sent when the HTTP server is made, before its listeners are in place.
    const signalled = preload(`
      import http from 'node:http';
      import { syncBuiltinESMExports } from 'node:module';
      const { createServer } = http;
      http.createServer = (...args) => {
        process.kill(process.pid, 'SIGTERM');
        return createServer(...args);
      };
      syncBuiltinESMExports();
    `);
    const { env } = await kind.create();
    const service = new Service({ ...env, ...signalled, NODE_ENV: 'production' });
    expect(await service.ended()).toBe(0);
    expect(service.stderr).toBe('');
  });
});
