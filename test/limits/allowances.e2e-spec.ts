import { beforeAll, expect, it } from '@jest/globals';
import { Requester } from '../faults/support/requester.js';
import { onDatabase, type TestDatabase } from '../support/databases.js';
import { scrape, valueOf } from '../support/http/metrics.js';
import { describeOnServers } from '../support/servers/redis.js';
import { Service } from '../support/service.js';
import { atOnce, until, untilDayHasRoom } from '../support/until.js';

const REPLICAS = 3;
const LANES_A_REPLICA = 2;
const LIMIT = 3_000;

/** Callers of one key. */
class Spending {
  admitted = 0;
  private readonly caller: Requester;

  constructor(key: string) {
    this.caller = new Requester(key);
  }

  /** Sends one request after the other until one is refused or the replica has ended. */
  async lane({ url }: Service): Promise<void> {
    for (;;) {
      const answer = await this.caller.send(url, { path: '/v1/pets?limit=1' }).catch(() => undefined);
      if (!answer || answer.status === 429) return;
      expect(answer.status).toBe(200);
      this.admitted += 1;
    }
  }
}

// counters-model.spec.ts has replicas that stall and die, and the end of a minute.
describeOnServers('a busy key on three replicas', (kind, inRedis) => {
  let database: TestDatabase;
  let replicas: Service[];
  let start: () => Promise<Service>;

  beforeAll(async () => {
    database = await kind.create();
    const env = { ...database.env, ...(await inRedis.create()).env, METRICS_PORT: '0' };
    start = () => Service.start(env);
    replicas = await atOnce(REPLICAS, start);
  });

  const spendOn = (spending: Spending) =>
    Promise.all(
      replicas.flatMap((replica) => Array.from({ length: LANES_A_REPLICA }, () => spending.lane(replica))),
    );
  const fromAllowances = async () => {
    const series = 'rate_limit_decision_sources_total{source="allowance"}';
    const counts = await Promise.all(replicas.map(async (each) => valueOf(await scrape(each), series) ?? 0));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  it('gets exactly its limit, most of it from allowances, and usage has every request', async () => {
    await untilDayHasRoom();
    const { id, key } = await replicas[0]!.issue({ perDay: LIMIT });
    const before = await fromAllowances();
    const spending = new Spending(key);
    await spendOn(spending);
    expect(spending.admitted).toBe(LIMIT);
    expect((await fromAllowances()) - before).toBeGreaterThan(LIMIT / 2);
    await Promise.all(replicas.map((replica) => replica.stop()));
    const select = 'select admitted, refused from usage_days where key_id = $1';
    const refused = String(REPLICAS * LANES_A_REPLICA);
    expect(await onDatabase(database, select, [id])).toEqual([{ admitted: String(LIMIT), refused }]);
    replicas = await atOnce(REPLICAS, start);
  });

  it('loses nothing to a replica that stops', async () => {
    await untilDayHasRoom();
    const key = await replicas[0]!.issueKey({ perDay: LIMIT });
    const spending = new Spending(key);
    const spent = spendOn(spending);
    await until(() => spending.admitted > LIMIT / 4);
    await replicas[0]!.stop();
    await spent;
    expect(spending.admitted).toBe(LIMIT);
  });
});
