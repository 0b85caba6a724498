import { describe, expect, it } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import { connectRedis, evictingPolicies, sentinelOptions, withinDeadline } from './redis-client.js';

it('connectRedis gives the credentials of the first seed node to every node of a Cluster, commas too', () => {
  const urls = ['redis://me:a,b%2Fc@127.0.0.1:1', 'redis://127.0.0.1:2'];
  const cluster = connectRedis({ urls, isCluster: true }, () => undefined) as Cluster;
  expect(cluster.options.redisOptions).toMatchObject({ username: 'me', password: 'a,b/c' });
  cluster.disconnect();
});

it('sentinelOptions takes several sentinels, and gives the credentials of the first one to the master', () => {
  const urls = ['redis://:a%2Fc@127.0.0.1:1/3', 'redis://[::1]'];
  expect(sentinelOptions(urls, 'limits')).toMatchObject({
    name: 'limits',
    sentinels: [
      { host: '127.0.0.1', port: 1 },
      { host: '::1', port: 26379 },
    ],
    password: 'a/c',
    sentinelPassword: 'a/c',
    db: 3,
  });
});

it.each([
  ['noeviction', []],
  ['allkeys-lru', ['allkeys-lru']],
  ['volatile-ttl', ['volatile-ttl']],
])('evictingPolicies: a node with %s gives %j', async (policy, policies) => {
  const info = () => Promise.resolve(`# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:${policy}\r\n`);
  expect(await evictingPolicies({ info } as unknown as Redis)).toEqual(policies);
});

describe('withinDeadline', () => {
  it('passes on a reply, and a failure', async () => {
    await expect(withinDeadline(Promise.resolve(1))).resolves.toBe(1);
    await expect(withinDeadline(Promise.reject(new Error('closed')))).rejects.toThrow('closed');
  });

  it('rejects when no reply comes', async () => {
    await expect(withinDeadline(new Promise(() => undefined), 20)).rejects.toThrow('within 20 ms');
  });

  it('does not count the time for which this process is held up again and again', async () => {
    let arrive: (value: number) => void = () => undefined;
    const answered = withinDeadline(new Promise<number>((resolve) => (arrive = resolve)));
    const holdUp = (times: number) => {
      if (times === 0) {
        arrive(1);
        return;
      }
      const startMs = performance.now();
      while (performance.now() - startMs < 40);
      setImmediate(() => holdUp(times - 1));
    };
    holdUp(5);
    await expect(answered).resolves.toBe(1);
  });

  it('does not count a stall of this process during which the reply arrived', async () => {
    let arrive: (value: number) => void = () => undefined;
    const reply = new Promise<number>((resolve) => (arrive = resolve));
    const answered = withinDeadline(reply, 20);
    const startMs = performance.now();
    while (performance.now() - startMs < 60);
    // A socket is read on the next turn as well.
    setImmediate(() => setImmediate(() => arrive(1)));
    await expect(answered).resolves.toBe(1);
  });
});
