import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { request } from 'node:http';
import pg from 'pg';
import { cleanUp } from '../support/clean-up.js';
import { connectTo, describeOnServer, onDatabase } from '../support/databases.js';
import { Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { atOnce, until } from '../support/until.js';

const PETS = 200;
const CALLERS = 24;
const MAX_RESPONSE_MS = 3_000;
const END_ONE = 'select pg_terminate_backend(pid) from backends order by random() limit 1';
const ANSWERED = `select from pg_stat_activity join backends using (pid) where wait_event = 'ClientRead'`;

/** Reads of many callers share two connections to PostgreSQL. No fault of these may mix up their responses. */
describeOnServer('reads that share connections', (kind) => {
  let proxy: TcpProxy;
  let service: Service;
  let key: string;
  let admin: pg.Client;

  beforeAll(async () => {
    const database = await kind.create();
    await onDatabase(
      database,
      `insert into pets (name, category_id, status) select 'Pet ' || n, n, 'available' from generate_series(1, ${PETS}) n`,
    );
    proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    service = await Service.start({ DATABASE_URL: proxy.url });
    key = await service.issueKey({ perMinute: 1_000_000, perDay: 1_000_000 });
    admin = await connectTo(database);
    await admin.query(
      `create temporary view backends as select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name = 'animal-store'`,
    );
  });
  beforeEach(async () => {
    await until(async () => (await service.call({ path: '/v1/pets/1', key })).status === 200);
  });
  afterAll(async () => {
    await admin.end();
    await cleanUp();
  });

  /** Reads one animal, directly or as a page of its category. Expects that animal, or a 503, in time. */
  async function read(number: number): Promise<number> {
    const id = 1 + (number % PETS);
    const pet = { id: BigInt(id), name: `Pet ${id}`, categoryId: BigInt(id), status: 'available' };
    const isList = number % 2 === 0;
    const startMs = performance.now();
    const path = isList ? `/v1/pets?categoryId=${id}` : `/v1/pets/${id}`;
    const { status, body } = await service.call({ path, key });
    expect(performance.now() - startMs).toBeLessThan(MAX_RESPONSE_MS);
    if (status === 200) expect(body).toMatchObject(isList ? [pet] : pet);
    else expect(body).toMatchObject({ code: 'service_unavailable' });
    return status;
  }

  /** Reads from many callers until `inject` is done. Resolves with the number of responses of each status. */
  async function statusesWhile(
    inject: (served: () => number[]) => Promise<void>,
  ): Promise<Map<number, number>> {
    const statuses = new Map<number, number>();
    const served = Array.from({ length: CALLERS }, () => 0);
    let isOver = false;
    let next = 0;
    const readOn = async (_: unknown, caller: number) => {
      while (!isOver) {
        const status = await read((next += 1));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) served[caller]! += 1;
      }
    };
    const callers = Array.from({ length: CALLERS }, readOn);
    await inject(() => [...served]).finally(() => (isOver = true));
    await Promise.all(callers);
    return statuses;
  }

  /** Injects a fault repeatedly, once every caller has read twice since the last one: then no read meets two faults. */
  const repeatedly =
    (times: number, injectOnce: () => Promise<unknown>) => async (served: () => number[]) => {
      for (let time = 0; time < times; time += 1) {
        const before = served();
        await until(() => served().every((reads, caller) => reads >= before[caller]! + 2));
        await injectOnce();
      }
    };

  it('get their own results when backends are killed', async () => {
    const statuses = await statusesWhile(repeatedly(20, () => admin.query(END_ONE)));
    expect(statuses.get(200)).toBeGreaterThan(20 * CALLERS);
  });

  it('get their own results when connections break before the results arrive', async () => {
    const cut = async () => {
      proxy.holdAnswers();
      await until(async () => (await admin.query(ANSWERED)).rowCount !== 0);
      proxy.restore();
    };
    await statusesWhile(repeatedly(20, cut));
  });

  it('get their own results when other callers disconnect', async () => {
    await statusesWhile(
      repeatedly(20, async () => {
        for (let leaver = 0; leaver < CALLERS; leaver += 1) {
          const headers = { authorization: `Bearer ${key}` };
          const left = request(`${service.url}/v1/pets?limit=100`, { headers, agent: false });
          left.on('error', () => undefined).end();
          left.once('socket', (socket) => socket.once('connect', () => setImmediate(() => left.destroy())));
        }
        await Promise.resolve();
      }),
    );
  });

  it('use at most DATABASE_POOL_SIZE connections', async () => {
    const body = { name: 'Rex', categoryId: 1 };
    const headers = (number: number) => ({ 'idempotency-key': `bound-${number}` });
    await atOnce<unknown>(60, (number) =>
      number % 2 === 0
        ? read(number)
        : service.call({ method: 'POST', path: '/v1/pets', key, body, headers: headers(number) }),
    );
    // 8 connections for requests; killed backends may take a moment to end.
    await until(async () => (await admin.query('select from backends')).rowCount! <= 8);
    expect(proxy.connections).toBeLessThanOrEqual(8);
    expect(proxy.connections).toBeGreaterThan(2);
  });
});
