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
const ALLOWANCE_MS = 250;
/** An allowance is granted only while the window has room for this many of its size. */
const ROOM_FACTOR = 20;
const LARGEST_ALLOWANCE = LIMIT / ROOM_FACTOR;
/** More than three lanes get while the limit is changed. */
const LOWERED_LIMIT = 6_000;
const MINUTE_MS = 60_000;

/** What callers of one key have got so far, in all and by the minute that its headers name. */
class Spending {
  admitted = 0;
  readonly byMinute = new Map<string, number>();
  readonly refusedIn = new Set<string>();
  private readonly caller: Requester;

  /** `enough`: how many admitted requests end all lanes. */
  constructor(
    key: string,
    private readonly enough = Infinity,
  ) {
    this.caller = new Requester(key);
  }

  /** Sends one request after the other until one is refused in the last minute, the replica has died or enough are admitted. */
  async lane({ url }: Service, isLast: (reset: string) => boolean = () => true): Promise<void> {
    while (this.admitted < this.enough) {
      const answer = await this.caller.send(url, { path: '/v1/pets?limit=1' }).catch(() => undefined);
      if (!answer) return;
      const reset = String(answer.headers['x-ratelimit-reset']);
      if (answer.status === 429) {
        this.refusedIn.add(reset);
        if (isLast(reset)) return;
        continue;
      }
      expect(answer.status).toBe(200);
      this.admitted += 1;
      this.byMinute.set(reset, (this.byMinute.get(reset) ?? 0) + 1);
    }
  }
}

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

  const spendOn = (spending: Spending, isLast?: (reset: string) => boolean) =>
    Promise.all(
      replicas.flatMap((replica) =>
        Array.from({ length: LANES_A_REPLICA }, () => spending.lane(replica, isLast)),
      ),
    );
  const fromAllowances = async () => {
    const series = 'rate_limit_decision_sources_total{source="allowance"}';
    const counts = await Promise.all(replicas.map(async (each) => valueOf(await scrape(each), series) ?? 0));
    return counts.reduce((sum, count) => sum + count, 0);
  };

  /** A limit with room for allowances until a sixth is left, however many requests a replica takes during one on this machine. */
  const limitWithRoom = async () => {
    const key = await replicas[0]!.issueKey({ perDay: 100 * LIMIT });
    const beginMs = performance.now();
    await spendOn(new Spending(key, LIMIT));
    const requestsAMs = LIMIT / REPLICAS / (performance.now() - beginMs);
    return Math.max(LIMIT, Math.ceil(6 * ROOM_FACTOR * ALLOWANCE_MS * requestsAMs));
  };

  it('gets exactly its limit, most of it from allowances, and usage has every request', async () => {
    await untilDayHasRoom();
    const limit = await limitWithRoom();
    const { id, key } = await replicas[0]!.issue({ perDay: limit });
    const before = await fromAllowances();
    const spending = new Spending(key);
    await spendOn(spending);
    expect(spending.admitted).toBe(limit);
    expect((await fromAllowances()) - before).toBeGreaterThan(limit / 2);
    await Promise.all(replicas.map((replica) => replica.stop()));
    const select = 'select admitted, refused from usage_days where key_id = $1';
    const refused = String(REPLICAS * LANES_A_REPLICA);
    expect(await onDatabase(database, select, [id])).toEqual([{ admitted: String(limit), refused }]);
    replicas = await atOnce(REPLICAS, start);
  });

  it('gets exactly its limit in a minute that begins meanwhile', async () => {
    const key = await replicas[0]!.issueKey({ perMinute: LIMIT });
    const spending = new Spending(key);
    await until(() => Date.now() % MINUTE_MS > MINUTE_MS - 1_000);
    const firstEnd = String(Math.ceil((Date.now() + 1) / MINUTE_MS) * (MINUTE_MS / 1_000));
    await spendOn(spending, (reset) => reset > firstEnd);
    const [first, second] = [...spending.byMinute].sort();
    expect(first![1]).toBeLessThanOrEqual(LIMIT);
    expect(second![1]).toBe(LIMIT);
    expect(spending.byMinute.size).toBe(2);
  });

  it('gets exactly a limit that is lowered meanwhile', async () => {
    await untilDayHasRoom();
    const { id, key } = await replicas[0]!.issue();
    const spending = new Spending(key);
    const spent = Promise.all(replicas.map((replica) => spending.lane(replica)));
    await until(() => spending.admitted > 100);
    const limits = ['--per-minute', '1000000', '--per-day', String(LOWERED_LIMIT)];
    await replicas[0]!.keys('set-plan', id, 'enterprise', ...limits);
    await spent;
    expect(spending.admitted).toBe(LOWERED_LIMIT);
  });

  it('misses at most what a replica held that dies', async () => {
    await untilDayHasRoom();
    const key = await replicas[0]!.issueKey({ perDay: LIMIT });
    const spending = new Spending(key);
    const spent = spendOn(spending);
    await until(() => spending.admitted > LIMIT / 4);
    await replicas[0]!.stop('SIGKILL');
    await spent;
    expect(spending.admitted).toBeLessThanOrEqual(LIMIT);
    expect(spending.admitted).toBeGreaterThanOrEqual(LIMIT - LARGEST_ALLOWANCE - LANES_A_REPLICA);
    replicas[0] = await start();
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
