import { beforeAll, expect, it } from '@jest/globals';
import { atOnce } from '../support/until.js';
import { Service } from '../support/service.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { RedisServer } from '../faults/support/redis-server.js';
import { Requester, idIn } from '../faults/support/requester.js';
import { describeWhere } from './support/installed.js';

const REPLICAS = 3;
const ORDERS = 10_000;
const LANES = 24;
/** Few enough that most orders race with others for their animal. */
const ANIMALS = 400;

describeWhere(OwnPostgres.isInstalled, 'PostgreSQL', 'the inventory of three replicas', () => {
  let server: OwnPostgres;
  let replicas: Service[];
  let key: string;

  beforeAll(async () => {
    server = await OwnPostgres.create();
    const redis = await RedisServer.start();
    const env = { DATABASE_URL: server.url, REDIS_URL: redis.url };
    replicas = await atOnce(REPLICAS, () => Service.start(env));
    // So many that no machine sends them within a minute.
    key = await replicas[0]!.issueKey({ perMinute: 1_000_000_000 });
    await server.query(
      `insert into pets (name, category_id, status)
        select 'Pet ' || n, n % 10, 'available' from generate_series(1, ${ANIMALS}) n`,
    );
  });

  const inventory = () => replicas[0]!.call({ path: '/v1/store/inventory', key });

  it('is exact after racing orders on all of them, one of which is killed', async () => {
    const caller = new Requester(key);
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
      return reply?.text;
    };
    const lane = async () => {
      for (let orders = 0; orders < ORDERS / LANES; orders += 1) {
        const petId = 1 + Math.floor(Math.random() * ANIMALS);
        const order = await post('/v1/store/orders', `{"petId":${petId}}`);
        // Every order ends again, so that most animals stay available.
        if (order?.includes('"placed"') && orders % 40 === 0) {
          await post(`/v1/store/orders/${idIn(order)}/approve`, '');
          await post(`/v1/store/orders/${idIn(order)}/deliver`, '');
        } else if (order?.includes('"placed"')) await post(`/v1/store/orders/${idIn(order)}/cancel`, '');
      }
    };
    await atOnce(LANES, lane);
    expect(unanswered).toBeGreaterThan(0);
    const rows = await server.query<{ status: string; count: string }>(
      'select status, count(*) from pets group by status',
    );
    const { body } = await inventory();
    const counts = Object.fromEntries(rows.map(({ status, count }) => [status, BigInt(count)]));
    expect(body).toEqual({ pending: 0n, sold: 0n, ...counts });
  });
});
