import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Answer, type Call } from '../support/http/client.js';
import { connectTo, describeOnServer } from '../support/databases.js';
import { ownService, Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { until } from '../support/until.js';

const MAX_RESPONSE_MS = 3_000;

describeOnServer('a service without its PostgreSQL server', (kind) => {
  let proxy: TcpProxy;
  const service = ownService(kind, async ({ DATABASE_URL }) => {
    proxy = await TcpProxy.before(DATABASE_URL!);
    return { DATABASE_URL: proxy.url };
  });
  let key: string;

  beforeEach(async () => {
    await until(async () => (await service.call({ path: '/health/ready' })).status === 200);
    key = await service.issueKey();
    expect((await service.call({ path: '/v1/pets', key })).status).toBe(200);
  });
  afterEach(() => proxy.restore());

  /** A response and its duration. */
  async function timed(options: Call): Promise<{ answer: Answer; ms: number }> {
    const begun = performance.now();
    const answer = await service.call(options);
    return { answer, ms: performance.now() - begun };
  }

  async function expectUnavailable(options: Call): Promise<void> {
    const { answer, ms } = await timed(options);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ code: 'service_unavailable', status: 503n });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(ms).toBeLessThan(MAX_RESPONSE_MS);
  }

  const body = { name: 'Rex', categoryId: 1 };

  it.each(['cut', 'freeze'] as const)(
    'answers 503 in time after a %s, and recovers by itself',
    async (how) => {
      proxy[how]();
      await expectUnavailable({ path: '/v1/pets', key });
      await expectUnavailable({ method: 'POST', path: '/v1/pets', key, body });
      await expectUnavailable({ path: '/v1/pets/1', key });
      const live = await timed({ path: '/health/live' });
      expect(live.answer.status).toBe(200);
      expect(live.ms).toBeLessThan(1_000);
      await expectUnavailable({ path: '/health/ready' });
      expect((await service.call({ path: '/v1/pets' })).status).toBe(401);
      // Many at once: each is answered in time.
      const many = Array.from({ length: 40 }, () => expectUnavailable({ path: '/v1/pets', key }));
      await Promise.all(many);

      proxy.restore();
      await until(async () => (await service.call({ path: '/health/ready' })).status === 200);
      expect((await service.call({ method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
      const both = Array.from({ length: 20 }, () => service.call({ path: '/v1/pets', key }));
      for (const answer of await Promise.all(both)) expect(answer.status).toBe(200);
    },
  );

  it('answers 503 in time while a lock blocks its statements', async () => {
    const holder = await connectTo(service.database);
    await holder.query('begin; lock table pets in access exclusive mode');
    await expectUnavailable({ path: '/v1/pets', key });
    await expectUnavailable({ method: 'POST', path: '/v1/pets', key, body });
    await holder.query('rollback');
    await holder.end();
    expect((await service.call({ path: '/v1/pets', key })).status).toBe(200);
  });

  it('stays ready, and reads key changes, while every writer waits for a lock', async () => {
    const away = service.logged('the database is away').length;
    const writing = await service.issueKey({ perMinute: 1_000_000, perDay: 1_000_000 });
    const pet = await service.call({ method: 'POST', path: '/v1/pets', key, body });
    const petId = Number((pet.body as { id: bigint }).id);
    const order = await service.call({ method: 'POST', path: '/v1/store/orders', key, body: { petId } });
    const { id, key: revoked } = await service.issue();
    expect((await service.call({ path: '/v1/pets', key: revoked })).status).toBe(200);
    const holder = await connectTo(service.database);
    await holder.query('begin; lock table pets in exclusive mode');
    let isOver = false;
    const statuses = new Set<number>();
    const path = `/v1/pets/${petId}`;
    const writer = async () => {
      while (!isOver)
        statuses.add(
          (await service.call({ method: 'PATCH', path, key: writing, body: { name: 'Max' } })).status,
        );
    };
    const writers = Array.from({ length: 40 }, writer);
    // Every connection of the pool is taken, and others wait for one.
    await until(() => statuses.has(503));
    await service.keys('revoke', id);
    const ready = await timed({ path: '/health/ready' });
    expect(ready.answer.status).toBe(200);
    expect(ready.ms).toBeLessThan(1_000);
    const found = `/v1/store/orders/${(order.body as { id: bigint }).id}`;
    expect((await timed({ path: found, key })).answer.status).toBe(200);
    await until(async () => (await service.call({ path: '/v1/pets', key: revoked })).status === 401);
    await holder.query('rollback');
    await holder.end();
    isOver = true;
    await Promise.all(writers);
    expect([...statuses].filter((status) => status !== 503)).toEqual([200]);
    // Other statements succeeded meanwhile.
    const outages = service.logged('the database is away').slice(away);
    expect(JSON.stringify(outages)).not.toMatch(/statement timeout|timeout exceeded when trying to connect/);
    expect(service.logged('the database is too slow for some statements')).not.toEqual([]);
  });

  it('ends a connection to a server that takes no writes', async () => {
    const client = await connectTo(service.database);
    const setReadOnly = (isReadOnly: boolean) =>
      client.query(
        `do $$ begin execute format('alter database %I set default_transaction_read_only = ${isReadOnly}', current_database()); end $$`,
      );
    const endSessions = () =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'animal-store'`,
      );
    // The setting affects new sessions only, which then lead to a read-only server, as after a switchover.
    await setReadOnly(true);
    await endSessions();
    await until(async () => {
      const { status, body: problem } = await service.call({ path: '/health/ready' });
      return status === 503 && (problem as { message: string }).message.includes('it is read-only');
    });
    await until(
      async () => (await service.call({ method: 'POST', path: '/v1/pets', key, body })).status === 503,
    );
    await setReadOnly(false);
    await until(async () => (await service.call({ path: '/health/ready' })).status === 200);
    await until(
      async () => (await service.call({ method: 'POST', path: '/v1/pets', key, body })).status === 201,
    );
    expect(service.logged('the database takes no writes: the service is not ready')).toHaveLength(1);
    await client.end();
  });

  it('trusts a key for less than a second after its look-up', async () => {
    const unused = await service.issueKey();
    const get = () => service.call({ path: '/v1/rate-limit', key: unused });
    expect((await get()).status).toBe(200);
    proxy.cut();
    const cutAt = performance.now();
    // This request needs only the key from the database, which was just read.
    expect((await get()).status).toBe(200);
    await until(async () => (await get()).status === 503);
    expect(performance.now() - cutAt).toBeLessThan(1_500);
  });

  it.each(['cut', 'freeze'] as const)('can be stopped after a %s', async (how) => {
    const stopping = await Service.start({ DATABASE_URL: proxy.url });
    proxy[how]();
    const signalled = performance.now();
    expect(await stopping.stop()).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(15_000);
  });

  it('can be stopped while it waits for the database at start', async () => {
    proxy.freeze();
    const waiting = new Service({ DATABASE_URL: proxy.url });
    await waiting.untilLogged('listening');
    const signalled = performance.now();
    expect(await waiting.stop()).toBe(0);
    expect(performance.now() - signalled).toBeLessThan(5_000);
    expect(waiting.stderr).toBe('');
  });
});
