import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { percentileMs, putLoad, statusesOf } from '../support/http/load.js';
import { scrape, valueOf } from '../support/http/metrics.js';
import { cleanUp, Service } from '../support/service.js';
import { until } from '../support/until.js';

const LOOP_DELAY_MS = 50;
/** A caller gets 503 within 3 s, whatever the fault of the database. */
const MAX_RESPONSE_MS = 3_000;

const embedded = databaseKinds.filter(({ name }) => name === 'embedded');

/** The startup message of PostgreSQL's protocol, and a query without its last byte. */
const HALF_A_QUERY = Buffer.concat([
  Buffer.from([0, 0, 0, 23, 0, 3, 0, 0]),
  Buffer.from('user\0postgres\0\0'),
  Buffer.from('Q'),
  Buffer.from([0, 0, 0, 14]),
  Buffer.from('select 1;'),
]);

/** A process that opens a transaction, writes a row, reports it, and keeps running. */
const WRITE_AND_WAIT = `
  import pg from 'pg';
  const client = new pg.Client({ host: process.env.DATA_DIR, user: 'postgres', database: 'postgres' });
  await client.connect();
  await client.query("begin; insert into pets (name, category_id, status) values ('ghost', 0, 'available')");
  console.log('written');
  setInterval(() => {}, 1000);
`;

describe.each(embedded)('the service beside other clients of the $name database', (kind) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;
  const clients: pg.Client[] = [];

  beforeAll(async () => {
    database = await kind.create();
    service = await Service.start({ ...database.env, METRICS_PORT: '0' });
    key = await service.issueKey();
    await load();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
  });
  afterAll(cleanUp);

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ host: database.env.DATA_DIR!, user: 'postgres', database: 'postgres' });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }

  const load = (forMs = 1_000) =>
    putLoad(service.url, { path: '/v1/pets?limit=1', key, connections: 4, forMs });

  /** The mean delay of the event loop since the last call. */
  const loopDelayMs = async () =>
    (valueOf(await scrape(service), 'nodejs_eventloop_lag_mean_seconds') ?? Number.NaN) * 1_000;

  /** Measures callers and the event loop during a fault. `mayFail`: 503 is allowed, because the database is blocked. */
  async function measure(mayFail = false): Promise<void> {
    await loopDelayMs();
    const { samples, hanging } = await load();
    const delayMs = await loopDelayMs();
    expect(hanging).toBe(0);
    expect(samples.length).toBeGreaterThan(0);
    const others = Object.keys(statusesOf(samples)).filter((status) => status !== '200');
    expect(others).toEqual(mayFail && others.length > 0 ? ['503'] : []);
    expect(percentileMs(samples, 1)).toBeLessThan(MAX_RESPONSE_MS);
    expect(delayMs).toBeLessThan(LOOP_DELAY_MS);
  }

  it('is not blocked by an incomplete message', async () => {
    const socket = connect(join(database.env.DATA_DIR!, '.s.PGSQL.5432'), () => socket.write(HALF_A_QUERY));
    await once(socket, 'data');
    await measure();
    socket.destroy();
  });

  it('drops a client that is idle in a transaction', async () => {
    const client = await connected();
    const begunMs = performance.now();
    const dropped = new Promise((resolve) => client.once('end', resolve));
    await client.query(
      "begin; insert into pets (name, category_id, status) values ('ghost', 0, 'available')",
    );
    await measure(true);
    await dropped;
    expect(performance.now() - begunMs).toBeLessThan(5_000);
    await measure();
  });

  it('rolls back for a client that dies in a transaction', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITE_AND_WAIT], {
      env: { PATH: process.env.PATH, DATA_DIR: database.env.DATA_DIR! },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await measure();
    const { rows } = await (await connected()).query("select 1 from pets where name = 'ghost'");
    expect(rows).toEqual([]);
  });

  it('is served in turn with four busy clients', async () => {
    const flood = await Promise.all(Array.from({ length: 4 }, connected));
    let isOver = false;
    let answered = 0;
    const flooding = flood.map(async (client) => {
      while (!isOver) {
        await client.query('select count(*) from generate_series(1, 1000)');
        answered += 1;
      }
    });
    await measure();
    isOver = true;
    await Promise.all(flooding);
    expect(answered).toBeGreaterThan(100);
  });

  it('is not blocked by a long query', async () => {
    const client = await connected();
    let isOver = false;
    const long = client
      .query('select count(*) from generate_series(1, 2000000) n where n % 7 = 3')
      .then(() => {
        isOver = true;
      });
    await measure(true);
    await long;
    expect(isOver).toBe(true);
    await until(async () => Object.keys(statusesOf((await load(200)).samples)).join() === '200');
    await measure();
  });
});
