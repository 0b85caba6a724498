import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { call, type Answer } from './support/client.js';
import { databaseKinds, type TestDatabase } from './support/databases.js';
import { Service } from './support/service.js';
import { TcpProxy } from './support/tcp-proxy.js';
import { until } from './support/until.js';

const ANSWERED_WITHIN_MS = 3_000;

const postgresql = databaseKinds.filter(({ name }) => name === 'postgresql');

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

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('error', () => resolve(true));
  }).finally(() => socket.destroy());
}

describe.each(databaseKinds)('stopping on $name', ({ create }) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await create();
  });
  afterEach(async () => {
    await Service.killAll();
    await database.drop();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s goes on answering for a while, then ends with 0',
    async (signal) => {
      const service = await Service.start({ ...database.env, SHUTDOWN_DELAY_MS: '3000' });
      const key = await service.issueKey();
      const before = await call(service.url, { path: '/v1/pets', key });
      expect(before.headers.connection).not.toBe('close');
      const signalled = performance.now();
      service.signal(signal);
      await service.untilLogged('draining');

      const ready = await call(service.url, { path: '/health/ready' });
      expect(ready.status).toBe(503);
      expect(ready.body).toMatchObject({ code: 'service_unavailable', status: 503n });
      expect((await call(service.url, { path: '/health/live' })).status).toBe(200);
      const agent = new Agent({ keepAlive: true });
      for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nothing', '/docs', '/health/live']) {
        const answer = await new Promise<{ connection: unknown; status: number | undefined }>(
          (resolve, reject) => {
            const headers = { authorization: `Bearer ${key}` };
            get(`${service.url}${path}`, { agent, headers }, (incoming) => {
              incoming.resume().on('end', () => {
                resolve({ connection: incoming.headers.connection, status: incoming.statusCode });
              });
            }).on('error', reject);
          },
        );
        expect({ path, ...answer }).toMatchObject({ path, connection: 'close' });
        expect(answer.status).toBeLessThan(500);
      }
      const body = { name: 'Last', categoryId: 1 };
      expect((await call(service.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);

      expect(await service.ended()).toBe(0);
      expect(performance.now() - signalled).toBeGreaterThanOrEqual(3_000);
      expect(await isRefused(service.url)).toBe(true);
      agent.destroy();
    },
  );

  it('takes a second signal as the first one', async () => {
    const service = await Service.start({ ...database.env, SHUTDOWN_DELAY_MS: '1000' });
    service.signal('SIGTERM');
    await service.untilLogged('draining');
    service.signal('SIGTERM');
    service.signal('SIGINT');
    expect(await service.ended()).toBe(0);
    expect(service.log.filter(({ msg }) => msg === 'draining')).toHaveLength(1);
  });

  it('finishes the requests that are under way when it closes', async () => {
    const service = await Service.start(database.env);
    const key = await service.issueKey();
    const half = await HalfRequest.createPet(service.url, key);
    service.signal('SIGTERM');
    await until(() => isRefused(service.url));
    const answer = await half.finish();
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer).toContain('"name":"Latecomer"');
    expect(await service.ended()).toBe(0);
    const next = await Service.start(database.env);
    expect((await call(next.url, { path: '/v1/pets', key })).text).toContain('"name":"Latecomer"');
    expect(await next.stop()).toBe(0);
  });

  it('waits for ever for no one: a request that never ends is cut off', async () => {
    const service = await Service.start(database.env);
    const half = await HalfRequest.createPet(service.url, await service.issueKey());
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(0);
    await half.closed();
  });

  it('is not held up by connections that are kept alive or never used', async () => {
    const service = await Service.start(database.env);
    const { hostname, port } = new URL(service.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 5 });
    const ask = () =>
      new Promise<void>((resolve, reject) => {
        get(`${service.url}/health/live`, { agent }, (incoming) => {
          incoming.resume().on('end', resolve);
        }).on('error', reject);
      });
    await Promise.all([ask(), ask(), ask(), ask(), ask()]);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    const stuck = connect(Number(port), hostname, () =>
      stuck.write('GET /health/live HTTP/1.1\r\nHost: x\r\n'),
    );
    await once(stuck, 'connect');
    stuck.on('error', () => stuck.destroy());
    // An answer on a later connection: the service has seen the others.
    await call(service.url, { path: '/health/live' });
    const signalled = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(5_000);
    agent.destroy();
    silent.destroy();
    stuck.destroy();
  });

  it('loses no request of callers that move on when they are told to', async () => {
    const old = await Service.start({ ...database.env, SHUTDOWN_DELAY_MS: '500' });
    const key = await old.issueKey();
    const agent = new Agent({ keepAlive: true });
    const statuses = new Map<number | undefined, number>();
    const failures: unknown[] = [];
    const lane = async () => {
      for (let isOver = false; !isOver;) {
        await new Promise<void>((resolve) => {
          get(
            `${old.url}/v1/pets?limit=1`,
            { agent, headers: { authorization: `Bearer ${key}` } },
            (incoming) => {
              statuses.set(incoming.statusCode, (statuses.get(incoming.statusCode) ?? 0) + 1);
              isOver = incoming.headers.connection === 'close';
              incoming.resume().on('end', resolve);
            },
          ).on('error', (error) => {
            failures.push(error);
            isOver = true;
            resolve();
          });
        });
      }
    };
    const lanes = Array.from({ length: 8 }, lane);
    await until(() => (statuses.get(200) ?? 0) > 100);
    old.signal('SIGTERM');
    await Promise.all(lanes);
    expect(failures).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
    expect(await old.ended()).toBe(0);
    agent.destroy();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s during its start', async (signal) => {
    const service = new Service(database.env);
    await service.untilLogged('listening');
    service.signal(signal);
    expect(await service.ended()).toBe(0);
    expect(service.stderr).toBe('');
    // Nothing half made is left behind.
    const next = await Service.start(database.env);
    expect((await call(next.url, { path: '/v1/pets', key: await next.issueKey() })).status).toBe(200);
    expect(await next.stop()).toBe(0);
  });
});

describe.each(postgresql)('while the database is away on $name', ({ create }) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: Service;
  let key: string;

  beforeEach(async () => {
    database = await create();
    proxy = await TcpProxy.before(database.env['DATABASE_URL']!);
    service = await Service.start({ DATABASE_URL: proxy.url });
    key = await service.issueKey();
    expect((await call(service.url, { path: '/v1/pets', key })).status).toBe(200);
  });
  afterEach(async () => {
    await Service.killAll();
    await proxy.close();
    await database.drop();
  });

  /** An answer and how long it took. */
  async function timed(options: Parameters<typeof call>[1]): Promise<{ answer: Answer; ms: number }> {
    const begun = performance.now();
    const answer = await call(service.url, options);
    return { answer, ms: performance.now() - begun };
  }

  async function expectUnavailable(options: Parameters<typeof call>[1]): Promise<void> {
    const { answer, ms } = await timed(options);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(ms).toBeLessThan(ANSWERED_WITHIN_MS);
  }

  const body = { name: 'Rex', categoryId: 1 };

  it.each(['cut', 'freeze'] as const)(
    'after a %s, answers 503 in time and recovers by itself',
    async (how) => {
      proxy[how]();
      await expectUnavailable({ path: '/v1/pets', key });
      await expectUnavailable({ method: 'POST', path: '/v1/pets', key, body });
      await expectUnavailable({ path: '/v1/pets/1', key });
      const live = await timed({ path: '/health/live' });
      expect(live.answer.status).toBe(200);
      expect(live.ms).toBeLessThan(1_000);
      await expectUnavailable({ path: '/health/ready' });
      expect((await call(service.url, { path: '/v1/pets' })).status).toBe(401);
      // Many at once: none waits behind the others for longer than its time.
      const many = Array.from({ length: 40 }, () => expectUnavailable({ path: '/v1/pets', key }));
      await Promise.all(many);

      proxy.restore();
      await until(async () => (await call(service.url, { path: '/health/ready' })).status === 200);
      expect((await call(service.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
      const both = Array.from({ length: 20 }, () => call(service.url, { path: '/v1/pets', key }));
      for (const answer of await Promise.all(both)) expect(answer.status).toBe(200);
      expect(await service.stop()).toBe(0);
    },
  );

  it('survives the end of all its sessions', async () => {
    const client = new pg.Client({ connectionString: database.env['DATABASE_URL']! });
    await client.connect();
    const { rowCount } = await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.end();
    expect(rowCount).toBeGreaterThan(0);
    await until(async () => (await call(service.url, { path: '/health/ready' })).status === 200);
    expect((await call(service.url, { path: '/v1/pets', key })).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  it('answers 503 in time where a statement waits behind a lock', async () => {
    const holder = new pg.Client({ connectionString: database.env['DATABASE_URL']! });
    await holder.connect();
    await holder.query('begin; lock table pets in access exclusive mode');
    await expectUnavailable({ path: '/v1/pets', key });
    await expectUnavailable({ method: 'POST', path: '/v1/pets', key, body });
    await holder.query('rollback');
    await holder.end();
    expect((await call(service.url, { path: '/v1/pets', key })).body).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it.each(['cut', 'freeze'] as const)('can be stopped after a %s', async (how) => {
    proxy[how]();
    const signalled = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(15_000);
  });

  it('can be stopped while it waits for a database at its start', async () => {
    proxy.freeze();
    const waiting = new Service({ DATABASE_URL: proxy.url });
    await waiting.untilLogged('listening');
    const signalled = performance.now();
    expect(await waiting.stop()).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(5_000);
    expect(waiting.stderr).toBe('');
  });
});
