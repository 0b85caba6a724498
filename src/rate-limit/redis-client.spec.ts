import { expect, it } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { connectRedis } from './redis-client.js';

it('connectRedis gives the credentials of the first seed node to every node of a Cluster, commas too', () => {
  const urls = ['redis://me:a,b%2Fc@127.0.0.1:1', 'redis://127.0.0.1:2'];
  const cluster = connectRedis({ urls, isCluster: true }, () => undefined) as Cluster;
  expect(cluster.options.redisOptions).toMatchObject({ username: 'me', password: 'a,b/c' });
  cluster.disconnect();
});
