import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { call, dayLeft } from '../support/http/client.js';
import { issueKeys, type IssuedKey } from '../support/keys.js';
import { Service } from '../support/service.js';
import { until, untilDayHasRoom } from '../support/until.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { Requester } from '../faults/support/requester.js';
import { RedisCluster, RedisWithSentinels } from './support/redis-topologies.js';
import { describeWhere } from './support/installed.js';

const AWAY = 'Redis is away: limits are decided in memory';
const SHARED_WITHIN_MS = 5_000;
/** Less than the limit per minute, so that responses show the window of the day. */
const PER_DAY = 100_000;
const ROUNDS = 20;
const KEYS_A_SHARD = 2;
const MOVED_KEYS = 4;
/** Three shards, and one that joins. */
const SHARDS_AFTER = 4;
const PER_MOVED_KEY = 1_500;
const LANES_A_REPLICA = 2;
const MOVES = 3 * MOVED_KEYS;
/** The last requests of each key wait for moves, so that the load lasts longer than these, however fast the service is. */
const SENT_BETWEEN_MOVES = 300;

describeWhere(OwnPostgres.isInstalled, 'PostgreSQL', 'two replicas', () => {
  let server: OwnPostgres;
  let replicas: Service[];

  beforeAll(async () => {
    server = await OwnPostgres.create();
  });
  beforeEach(() => untilDayHasRoom(120_000));
  afterEach(() => Service.killAll());

  async function start(env: Record<string, string>, keys: number, perDay = PER_DAY): Promise<IssuedKey[]> {
    const settings = { ...env, DATABASE_URL: server.url };
    replicas = await Promise.all([Service.start(settings), Service.start(settings)]);
    return issueKeys({ env: settings }, keys, { perDay });
  }

  /** Calls the replicas in turn. */
  async function send({ key }: IssuedKey, calls: number): Promise<void> {
    for (let count = 0; count < calls; count += 1) {
      const { url } = replicas[count % replicas.length]!;
      expect((await call(url, { path: '/v1/pets', key })).status).toBe(200);
    }
  }

  /** What each replica shows as left of the day. */
  const leftOf = ({ key }: IssuedKey) =>
    Promise.all(replicas.map(async ({ url }) => dayLeft(await call(url, { path: '/v1/rate-limit', key }))));

  /** Resolves when what is left of allowances has gone back and every replica shows this many requests. */
  const untilLeft = (key: IssuedKey, left: number) =>
    until(async () => (await leftOf(key)).every((each) => each === left));

  it.each<[string, (sentinels: RedisWithSentinels) => unknown]>([
    ['is killed', ({ master }) => master.kill()],
    ['freezes', ({ master }) => master.freeze()],
    ['is replaced by command', (sentinels) => sentinels.failOver()],
  ])('share limits again soon after a failover by Sentinel, when the master %s', async (_how, lose) => {
    const sentinels = await RedisWithSentinels.start();
    const oneAway = `${sentinels.env.REDIS_URL},redis://127.0.0.1:1`;
    const [key] = await start({ ...sentinels.env, REDIS_URL: oneAway }, 1);
    await send(key!, ROUNDS);
    await untilLeft(key!, PER_DAY - ROUNDS);
    await lose(sentinels);
    await until(async () => {
      // Requests continue, counted in memory.
      await send(key!, replicas.length);
      return sentinels.isPromoted();
    });
    const promotedAtMs = performance.now();
    await until(async () => {
      await send(key!, replicas.length);
      return (await sentinels.countingClients()) === replicas.length;
    });
    expect(performance.now() - promotedAtMs).toBeLessThan(SHARED_WITHIN_MS);
    const left = await until(async () => {
      if (!(await sentinels.hasAllowancesBack(key!.id))) return false;
      const [one, other] = await leftOf(key!);
      return one === other && one;
    });
    await send(key!, ROUNDS);
    await untilLeft(key!, left - ROUNDS);
    // A sentinel that is away writes nothing beside the log.
    for (const { stderr } of replicas) expect(stderr).toBe('');
  });

  it('count keys of the other shards exactly when a cluster loses a shard', async () => {
    const cluster = await RedisCluster.start();
    const issued = await start(cluster.env, 60);
    const shards = await Promise.all(issued.map(({ id }) => cluster.shardOf(id)));
    const [lost, ...others] = [2, 1, 0].map((shard) => issued.filter((_, index) => shards[index] === shard));
    const onLost = lost!.slice(0, KEYS_A_SHARD);
    const onOthers = others.flatMap((keys) => keys.slice(0, KEYS_A_SHARD));
    for (const key of [...onLost, ...onOthers]) await send(key, 2);
    for (const key of [...onLost, ...onOthers]) await untilLeft(key, PER_DAY - 2);
    await cluster.shards[2]!.kill();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const key of [...onLost, ...onOthers]) await send(key, 2);
    for (const key of onOthers) await untilLeft(key, PER_DAY - 2 - 2 * ROUNDS);
    for (const replica of replicas) expect(replica.logged(AWAY)).toHaveLength(1);
  });

  it('admit exactly the limit of every key while slots of a cluster move under load', async () => {
    const cluster = await RedisCluster.start();
    const issued = await start(cluster.env, MOVED_KEYS, PER_MOVED_KEY);
    const callers = issued.map(({ key }) => new Requester(key));
    const admitted = issued.map(() => 0);
    let moves = 0;
    const lane = async (index: number, { url }: Service) => {
      for (;;) {
        if (admitted[index]! >= PER_MOVED_KEY - SENT_BETWEEN_MOVES && moves < MOVES) {
          // One request for each move.
          const before = moves;
          await until(() => moves > before || load.isOver);
        }
        const { status } = await callers[index]!.send(url, { path: '/v1/pets?limit=1' });
        if (status === 429) return;
        expect(status).toBe(200);
        admitted[index]! += 1;
      }
    };
    const load = { isOver: false };
    const spent = Promise.all(
      issued.flatMap((_, index) =>
        Array.from({ length: LANES_A_REPLICA }, () => replicas.map((replica) => lane(index, replica))).flat(),
      ),
    ).finally(() => (load.isOver = true));
    await cluster.addShard();
    // All slots move to the new shard first, and then from shard to shard.
    for (let to = SHARDS_AFTER - 1; !load.isOver; to = (to + 1) % SHARDS_AFTER) {
      for (const { id } of issued) {
        await cluster.moveSlotOf(id, to);
        moves += 1;
      }
    }
    await spent;
    expect(replicas.flatMap((replica) => replica.logged(AWAY))).toEqual([]);
    expect(admitted).toEqual(issued.map(() => PER_MOVED_KEY));
    expect(moves).toBeGreaterThan(2 * MOVED_KEYS);
  });
});
