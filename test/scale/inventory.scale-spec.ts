import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { percentileMs, putLoadFromOutside, statusesOf } from '../support/http/load.js';
import { Service } from '../support/service.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { RedisServer } from '../faults/support/redis-server.js';
import { Requester, idIn } from '../faults/support/requester.js';
import { reportProof, reportSkipped } from './support/report.js';

/** 10,000,000 take four minutes and 4 GB of disk. */
const ANIMALS = Number(process.env.SCALE_ANIMALS ?? 200_000);
const ANIMALS_A_STATEMENT = 500_000;
const REPLICAS = 3;
const CALLERS = 16;
const ROUNDS = 3;
const LOAD_MS = 2_000;
const ORDERS = 10_000;
const LANES = 24;
/** Few enough that most orders race with others for their animal. */
const ORDERED_ANIMALS = 1_000;
const STATUSES = `(array['available','pending','sold'])[1 + n % 3]`;

if (!OwnPostgres.isInstalled) reportSkipped('the inventory of a large store (PostgreSQL)');

(OwnPostgres.isInstalled ? describe : describe.skip)('the inventory of a large store', () => {
  let server: OwnPostgres | undefined;
  let redis: RedisServer | undefined;
  let replicas: Service[];
  let key: string;

  beforeAll(async () => {
    // Only the service is killed, so PostgreSQL need not write to disk.
    server = await OwnPostgres.create({ max_wal_size: '4GB' });
    redis = await RedisServer.start();
    const env = { DATABASE_URL: server.url, REDIS_URL: redis.url };
    replicas = await Promise.all(Array.from({ length: REPLICAS }, () => Service.start(env)));
    // So many that no machine sends them within a minute.
    key = await replicas[0]!.issueKey({ perMinute: 1_000_000_000 });
    for (let first = 1; first <= ANIMALS; first += ANIMALS_A_STATEMENT) {
      const last = Math.min(first + ANIMALS_A_STATEMENT - 1, ANIMALS);
      await server.query(
        `insert into pets (name, category_id, status)
          select 'Pet ' || n, n % 10, case when n <= ${ORDERED_ANIMALS} then 'available' else ${STATUSES} end
          from generate_series(${first}, ${last}) n`,
      );
    }
    await server.query('vacuum analyze pets');
  });
  afterAll(async () => {
    await Service.killAll();
    await redis?.drop();
    await server?.remove();
  });

  const load = async (path: string, connections: number) => {
    const { samples } = await putLoadFromOutside(replicas[0]!.url, {
      path,
      key,
      connections,
      forMs: LOAD_MS,
    });
    expect(Object.keys(statusesOf(samples))).toEqual(['200']);
    return samples;
  };

  /** The inventory that the service returns, and the number of rows of each status. */
  async function counts(): Promise<[inventory: unknown, rows: unknown]> {
    const inventory = await call(replicas[0]!.url, { path: '/v1/store/inventory', key });
    const rows = await server!.query<{ status: string; count: string }>(
      'select status, count(*) from pets group by status',
    );
    return [inventory.body, Object.fromEntries(rows.map(({ status, count }) => [status, BigInt(count)]))];
  }

  it('answers every request beside 16 callers of lists and gets', async () => {
    const [inventory, list, get] = ['/v1/store/inventory', '/v1/pets?limit=20', '/v1/pets/1'];
    const figures: Record<string, number[]> = {};
    const record = (name: string, value: number) => (figures[name] ??= []).push(value);
    const perSecond = (samples: unknown[]) => Math.round((samples.length * 1_000) / LOAD_MS);
    await load(list, CALLERS);
    // In turn, because other load on the machine varies. The figures are reported; a busy machine cannot judge them.
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await load(inventory, CALLERS);
      record('answers a second', perSecond(alone));
      record('p99 ms', percentileMs(alone, 0.99));
      record('lists a second alone', perSecond(await load(list, CALLERS)));
      const [besideIt] = await Promise.all([load(list, CALLERS), load(inventory, CALLERS)]);
      record('beside it', perSecond(besideIt));
      const [besideGets] = await Promise.all([load(list, CALLERS), load(get, CALLERS)]);
      record('beside as many callers of getPet', perSecond(besideGets));
    }
    const medians = Object.entries(figures).map(([name, values]) => [
      name,
      values.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)]!,
    ]);
    reportProof('the inventory', { animals: ANIMALS, callers: CALLERS, ...Object.fromEntries(medians) });
  });

  it('is exact after racing orders on three replicas, one of which is killed', async () => {
    const caller = new Requester(key);
    const statuses: Record<number, number> = {};
    let sent = 0;
    let unanswered = 0;
    const post = async (path: string, body: string): Promise<string | undefined> => {
      const number = (sent += 1);
      const replica = replicas[number % replicas.length]!;
      const answer = caller.post(replica.url, path, body, `race-${number}`).catch(() => undefined);
      if (number >= ORDERS / 2 && replicas.length === REPLICAS) {
        // This request is on its way, so that at least one has no answer.
        replicas.splice(replicas.indexOf(replica), 1);
        void replica.stop('SIGKILL');
      }
      const reply = await answer;
      if (!reply) unanswered += 1;
      else statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
      return reply?.text;
    };
    const lane = async () => {
      for (let orders = 0; orders < ORDERS / LANES; orders += 1) {
        const petId = 1 + Math.floor(Math.random() * ORDERED_ANIMALS);
        const order = await post('/v1/store/orders', `{"petId":${petId}}`);
        // Every order ends again, so that most animals stay available.
        if (order?.includes('"placed"') && orders % 40 === 0) {
          await post(`/v1/store/orders/${idIn(order)}/approve`, '');
          await post(`/v1/store/orders/${idIn(order)}/deliver`, '');
        } else if (order?.includes('"placed"')) await post(`/v1/store/orders/${idIn(order)}/cancel`, '');
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    caller.close();
    expect(unanswered).toBeGreaterThan(0);
    const [inventory, rows] = await counts();
    expect(inventory).toEqual(rows);
    reportProof('orders that race, and a kill -9', {
      animals: ANIMALS,
      requests: sent,
      'done (200, 201)': (statuses[200] ?? 0) + (statuses[201] ?? 0),
      'refused (409)': statuses[409] ?? 0,
      unanswered,
      'counts that differ from the rows': 0,
    });
  });
});
