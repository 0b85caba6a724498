import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { call } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { SHORT_CLOSE_DEADLINE } from '../support/preload.js';
import { cleanUp, Service } from '../support/service.js';
import { until } from '../support/until.js';

afterEach(() => Service.killAll());

/** A request of which only a part has been sent. */
class HalfRequest {
  private readonly socket: Socket;
  private received = '';
  private readonly rest: string;

  private constructor(url: string, request: string, sentBytes: number) {
    const { hostname, port } = new URL(url);
    this.rest = request.slice(sentBytes);
    this.socket = connect(Number(port), hostname, () => this.socket.write(request.slice(0, sentBytes)));
    this.socket.setEncoding('utf8').on('data', (text: string) => (this.received += text));
    this.socket.on('error', () => this.socket.destroy());
  }

  /** A pet to be created, up to the middle of its body. */
  static async createPet(url: string, key: string): Promise<HalfRequest> {
    const body = JSON.stringify({ name: 'Latecomer', categoryId: 1 });
    const request = [
      'POST /v1/pets HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      // The service says when it has read the headers.
      'Expect: 100-continue',
      '',
      body,
    ].join('\r\n');
    const half = new HalfRequest(url, request, request.length - 10);
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

/** The status and the Connection header of an answer to a caller that would like to keep the connection. */
function ask(agent: Agent, url: string, key: string): Promise<{ status?: number; connection?: string }> {
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

describe.each(databaseKinds)('stopping on $name', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await kind.create();
  });
  afterEach(cleanUp);

  it('goes on answering for a while after SIGTERM, then ends with 0, whatever connections are idle', async () => {
    const service = await Service.start({ ...database.env, SHUTDOWN_DELAY_MS: '700' });
    const key = await service.issueKey();
    const agent = new Agent({ keepAlive: true });
    const paths = ['/v1/pets', '/v1/pets', '/v1/nothing', '/health/live', '/docs'];
    const answers = await Promise.all(paths.map((path) => ask(agent, `${service.url}${path}`, key)));
    expect(answers.map(({ connection }) => connection)).toEqual(paths.map(() => 'keep-alive'));
    const { hostname, port } = new URL(service.url);
    const silent = connect(Number(port), hostname);
    silent.on('error', () => silent.destroy());
    await once(silent, 'connect');
    // Connections that stay open and idle; callers of their own make the requests below.
    const later = new Agent({ keepAlive: true });
    const signalled = performance.now();
    service.signal('SIGTERM');
    await service.untilLogged('draining');

    const ready = await call(service.url, { path: '/health/ready' });
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect((await call(service.url, { path: '/health/live' })).status).toBe(200);
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nothing', '/docs', '/health/live']) {
      const answer = await ask(later, `${service.url}${path}`, key);
      expect({ path, ...answer }).toMatchObject({ path, connection: 'close' });
      expect(answer.status).toBeLessThan(500);
    }
    const body = { name: 'Last', categoryId: 1 };
    expect((await call(service.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);

    expect(await service.ended()).toBe(0);
    const takenMs = performance.now() - signalled;
    expect(takenMs).toBeGreaterThanOrEqual(700);
    // Nothing waits for the idle connections.
    expect(takenMs).toBeLessThan(5_700);
    expect(await isRefused(service.url)).toBe(true);
    silent.destroy();
    agent.destroy();
    later.destroy();
  });

  it('finishes the requests that are under way when it closes, and cuts off one that does not end', async () => {
    const service = await Service.start(database.env);
    const key = await service.issueKey();
    const half = await HalfRequest.createPet(service.url, key);
    service.signal('SIGTERM');
    await until(() => isRefused(service.url));
    const finished = performance.now();
    const answer = await half.finish();
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toContain('"name":"Latecomer"');
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(await service.ended()).toBe(0);
    // Nothing is left to wait for once the last answer is out.
    expect(performance.now() - finished).toBeLessThan(5_000);
    const next = await Service.start({ ...database.env, ...SHORT_CLOSE_DEADLINE });
    expect((await call(next.url, { path: '/v1/pets', key })).text).toContain('"name":"Latecomer"');
    // Counted too: the latecomer, the list and this one. Midnight may have passed.
    const usage = await call(next.url, { path: '/v1/usage?days=2', key });
    const [yesterday, today] = usage.body as unknown as { admitted: bigint }[];
    expect(yesterday!.admitted + today!.admitted).toBe(3n);
    const endless = await HalfRequest.createPet(next.url, key);
    expect(await next.stop()).toBe(0);
    await endless.closed();
    expect(next.log).toContainEqual(
      expect.objectContaining({ level: 'warn', connections: 1, msg: 'cut off requests that did not end' }),
    );
  });

  it('loses no request of callers that move on when they are told to, and stops on SIGINT once', async () => {
    const old = await Service.start({ ...database.env, SHUTDOWN_DELAY_MS: '500' });
    const key = await old.issueKey();
    const agent = new Agent({ keepAlive: true });
    const statuses: unknown[] = [];
    const lane = async () => {
      for (;;) {
        const { status, connection } = await ask(agent, `${old.url}/v1/pets?limit=1`, key);
        statuses.push(status);
        if (connection === 'close') return;
      }
    };
    const lanes = Promise.all(Array.from({ length: 8 }, lane));
    await Promise.race([lanes, until(() => statuses.length > 100)]);
    old.signal('SIGINT');
    await old.untilLogged('draining');
    old.signal('SIGTERM');
    old.signal('SIGINT');
    await lanes;
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await old.ended()).toBe(0);
    expect(old.log.filter(({ msg }) => msg === 'draining')).toHaveLength(1);
    agent.destroy();
  });

  it('ends with 0 on SIGTERM and SIGINT during its start, and leaves nothing unfinished', async () => {
    const { env } = await kind.createUnmigrated();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = new Service(env);
      await service.untilLogged('listening');
      service.signal(signal);
      expect(await service.ended()).toBe(0);
      expect(service.stderr).toBe('');
    }
    const next = await Service.start(env);
    expect((await call(next.url, { path: '/v1/pets', key: await next.issueKey() })).status).toBe(200);
    expect(await next.stop()).toBe(0);
  });
});
