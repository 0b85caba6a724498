import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { issueKeys, type IssuedKey } from '../support/keys.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { RedisCluster, RedisWithSentinels } from './support/redis-topologies.js';
import { reportProof, reportSkipped } from './support/report.js';

const BACK = 'Redis is back: limits are shared again';
const SHARED_WITHIN_MS = 5_000;
/** Far fewer than a minute's, so that the responses show what is left of the day. */
const PER_DAY = 1_000;
const ROUNDS = 20;
const KEYS_A_SHARD = 2;

if (!OwnPostgres.isInstalled) reportSkipped('Sentinel and Redis Cluster (PostgreSQL)');

(OwnPostgres.isInstalled ? describe : describe.skip)('two replicas', () => {
  let server: OwnPostgres;
  let redis: RedisWithSentinels | RedisCluster | undefined;
  let replicas: Service[];

  beforeEach(async () => {
    server = await OwnPostgres.create();
  });
  afterEach(async () => {
    await Service.killAll();
    await redis?.drop();
    await server.remove();
  });

  async function start(env: Record<string, string>, keys: number): Promise<IssuedKey[]> {
    const settings = { ...env, DATABASE_URL: server.url };
    replicas = await Promise.all([Service.start(settings), Service.start(settings)]);
    return issueKeys({ env: settings }, keys, { perDay: PER_DAY });
  }

  /** Calls one replica after the other: what is left of the key's day, by each response. */
  async function remaining({ key }: IssuedKey, calls: number): Promise<number[]> {
    const left: number[] = [];
    for (let count = 0; count < calls; count += 1) {
      const answer = await call(replicas[count % replicas.length]!.url, { path: '/v1/pets', key });
      expect(answer.status).toBe(200);
      left.push(Number(answer.headers['x-ratelimit-remaining']));
    }
    return left;
  }

  const countdown = (from: number, calls: number) =>
    Array.from({ length: calls }, (_, index) => from - index);

  it('behind sentinels share limits again soon after a failover', async () => {
    const sentinels = await RedisWithSentinels.start();
    redis = sentinels;
    const [key] = await start(sentinels.env, 1);
    expect(await remaining(key!, ROUNDS)).toEqual(countdown(PER_DAY - 1, ROUNDS));
    await sentinels.master.kill();
    await until(async () => {
      // Traffic goes on, decided in memory.
      await remaining(key!, replicas.length);
      return sentinels.isPromoted();
    });
    const promotedAtMs = performance.now();
    await until(async () => {
      await remaining(key!, replicas.length);
      return replicas.every(({ log }) => log.some(({ msg }) => msg === BACK));
    });
    const sharedAfterMs = Math.round(performance.now() - promotedAtMs);
    const [first] = await remaining(key!, 1);
    expect(await remaining(key!, ROUNDS)).toEqual(countdown(first! - 1, ROUNDS));
    expect(sharedAfterMs).toBeLessThan(SHARED_WITHIN_MS);
    reportProof('a failover by Sentinel', { 'shared again after ms': sharedAfterMs });
  });

  it('on a cluster that loses a shard stay exact for the keys of the other shards', async () => {
    const cluster = await RedisCluster.start();
    redis = cluster;
    const issued = await start(cluster.env, 60);
    const shards = await Promise.all(issued.map(({ id }) => cluster.shardOf(id)));
    const [lost, ...others] = [2, 1, 0].map((shard) => issued.filter((_, index) => shards[index] === shard));
    const onLost = lost!.slice(0, KEYS_A_SHARD);
    const onOthers = others.flatMap((keys) => keys.slice(0, KEYS_A_SHARD));
    for (const key of [...onLost, ...onOthers]) {
      expect(await remaining(key, 2)).toEqual(countdown(PER_DAY - 1, 2));
    }
    await cluster.shards[2]!.kill();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const key of onLost) await remaining(key, 2);
      for (const key of onOthers) {
        expect(await remaining(key, 2)).toEqual(countdown(PER_DAY - 3 - 2 * round, 2));
      }
    }
    reportProof('a shard of a cluster lost', {
      'keys of the other shards': onOthers.length,
      'requests of each counted exactly': 2 * ROUNDS,
      'keys of the lost shard, decided in memory': onLost.length,
    });
  });
});
