import { Redis } from 'ioredis';

/** Where a service counts: in its memory, or in a Redis that replicas share. */
export interface TestRedis {
  env: Record<string, string>;
  /** Makes it forget every count. */
  flush(): Promise<void>;
  drop(): Promise<void>;
}

export interface RedisKind {
  name: 'in memory' | 'in Redis';
  create(logicalDatabase: number): Promise<TestRedis>;
}

const inMemory: RedisKind = {
  name: 'in memory',
  create: () => Promise.resolve({ env: {}, flush: () => Promise.resolve(), drop: () => Promise.resolve() }),
};

/** Each test file names a logical database of its own, so that none forgets what another counts. */
const inRedis = (serverUrl: string): RedisKind => ({
  name: 'in Redis',
  create: (logicalDatabase) => {
    const url = Object.assign(new URL(serverUrl), { pathname: `/${logicalDatabase}` }).href;
    const client = new Redis(url);
    return Promise.resolve({
      env: { REDIS_URL: url },
      flush: async () => {
        await client.flushdb();
      },
      drop: () => {
        client.disconnect();
        return Promise.resolve();
      },
    });
  },
});

export const redisKinds: RedisKind[] = [
  inMemory,
  ...(process.env.TEST_REDIS_URL ? [inRedis(process.env.TEST_REDIS_URL)] : []),
];
