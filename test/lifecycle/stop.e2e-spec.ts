import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { call } from '../support/http/client.js';
import { dayLeft } from '../support/http/limits.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { preload, SHORT_CLOSE_DEADLINE } from '../support/preload.js';
import { cleanUp, Service } from '../support/service.js';
import { until, untilDayHasRoom } from '../support/until.js';

/** Longer than a busy machine takes for the requests of a test. */
const SHUTDOWN_DELAY_MS = 4_000;
const PER_DAY = 1_000;

afterEach(() => Service.killAll());

/** A request that is only partly sent. */
class HalfRequest {
  private readonly socket: Socket;
  private received = '';
  private readonly rest: string;

  private constructor(url: string, text: string, sentBytes: number) {
    const { hostname, port } = new URL(url);
    this.rest = text.slice(sentBytes);
    this.socket = connect(Number(port), hostname, () => this.socket.write(text.slice(0, sentBytes)));
    this.socket.setEncoding('utf8').on('data', (received: string) => (this.received += received));
    this.socket.on('error', () => this.socket.destroy());
  }

  /** A request to create a pet, sent up to the middle of its body. */
  static async createPet(url: string, key: string): Promise<HalfRequest> {
    const body = JSON.stringify({ name: 'Latecomer', categoryId: 1 });
    const text = [
      'POST /v1/pets HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      // The service answers this once it has read the headers.
      'Expect: 100-continue',
      '',
      body,
    ].join('\r\n');
    const half = new HalfRequest(url, text, text.length - 10);
    await until(() => half.received.includes('100 Continue'));
    half.received = '';
    return half;
  }

  async finish(): Promise<string> {
    this.socket.write(this.rest);
    if (!this.socket.closed) await once(this.socket, 'close');
    return this.received;
  }

  async closed(): Promise<string> {
    if (!this.socket.closed) await once(this.socket, 'close');
    return this.received;
  }
}

/** Sends a request on a kept connection. Resolves with the status and the Connection header of the response. */
function request(agent: Agent, url: string, key: string): Promise<{ status?: number; connection?: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (incoming) => {
      const { statusCode: status, headers } = incoming;
      incoming.resume().on('end', () => resolve({ status, connection: headers.connection }));
    }).on('error', reject);
  });
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
    const answers = await Promise.all(paths.map((path) => request(agent, `${service.url}${path}`, key)));
    expect(answers.map(({ connection }) => connection)).toEqual(paths.map(() => 'keep-alive'));
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
        const { status, connection } = await request(later, `${service.url}/v1/pets?limit=1`, key);
        statuses.push(status);
        if (connection === 'close') return;
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
      const answer = await request(later, `${service.url}${path}`, key);
      expect({ path, ...answer }).toMatchObject({ path, connection: 'close' });
      expect(answer.status).toBeLessThan(500);
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
    const half = await HalfRequest.createPet(service.url, key);
    service.signal('SIGTERM');
    await until(() => isRefused(service.url));
    const finished = performance.now();
    const answer = await half.finish();
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toContain('"name":"Latecomer"');
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
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
    const endless = await HalfRequest.createPet(next.url, key);
    expect(await next.stop()).toBe(0);
    await endless.closed();
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
