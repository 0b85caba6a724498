import { Redis } from 'ioredis';
import { atCleanUp } from '../clean-up.js';

/** Where a service counts requests: in memory, or in a Redis that replicas share. */
export interface TestRedis {
  env: Record<string, string>;
  /** Deletes every count. */
  flush(): Promise<unknown>;
}

export interface RedisKind {
  name: 'in memory' | 'in Redis';
  create(): Promise<TestRedis>;
}

const inMemory: RedisKind = {
  name: 'in memory',
  create: () => Promise.resolve({ env: {}, flush: () => Promise.resolve() }),
};

/** A logical database for each worker of Jest, so that no test file deletes the counts of another. */
const inRedis = (serverUrl: string): RedisKind => ({
  name: 'in Redis',
  create: async () => {
    const worker = process.env.JEST_WORKER_ID ?? '1';
    const url = Object.assign(new URL(serverUrl), { pathname: `/${worker}` }).href;
    const client = new Redis(url);
    atCleanUp(() => client.disconnect());
    await client.flushdb();
    return { env: { REDIS_URL: url }, flush: () => client.flushdb() };
  },
});

export const redisKinds: RedisKind[] = [
  inMemory,
  ...(process.env.TEST_REDIS_URL ? [inRedis(process.env.TEST_REDIS_URL)] : []),
];
