import { expect, it } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import { connectRedis, evictingPolicy, sentinelOptions } from './connect.js';

const ONE = { urls: ['redis://127.0.0.1:1'] };

it('connectRedis uses the credentials of the first seed node, also with commas, for every node', () => {
  const urls = ['redis://me:a,b%2Fc@127.0.0.1:1', 'redis://127.0.0.1:2'];
  const cluster = connectRedis({ ...ONE, urls, cluster: true }, () => undefined) as Cluster;
  expect(cluster.options.redisOptions).toMatchObject({ username: 'me', password: 'a,b/c' });
  cluster.disconnect();
});

it.each([
  ["READONLY You can't write against a read only replica.", 1],
  ["ERR Error running script (call to f_1): @user_script:5: @user_script: 5: -READONLY You can't write", 1],
  ['ERR syntax error', false],
])('connectRedis connects again when the node has become a replica: %s', (message, expected) => {
  const redis = connectRedis(ONE, () => undefined) as Redis;
  expect(redis.options.reconnectOnError?.(new Error(message))).toBe(expected);
  redis.disconnect();
});

it('sentinelOptions accepts several sentinels, and uses the credentials of the first for the master', () => {
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
  ['noeviction', undefined],
  ['allkeys-lru', 'allkeys-lru'],
])('evictingPolicy returns, for a node with %s, %s', async (policy, expected) => {
  const info = () => Promise.resolve(`# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:${policy}\r\n`);
  expect(await evictingPolicy({ info } as unknown as Redis)).toBe(expected);
});
