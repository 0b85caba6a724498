import { describe } from '@jest/globals';
import { Redis } from 'ioredis';
import { atCleanUp } from '../clean-up.js';
import { anyKind, describeOnServer, type DatabaseKind } from '../databases.js';

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

const serverUrl = process.env.TEST_REDIS_URL;

export const redisKinds: RedisKind[] = [inMemory, ...(serverUrl ? [inRedis(serverUrl)] : [])];

/**
 * Describes tests that need PostgreSQL and Redis. They are reported as skipped without TEST_DATABASE_URL and
 * TEST_REDIS_URL.
 */
export function describeOnServers(
  name: string,
  tests: (database: DatabaseKind, redis: RedisKind) => void,
): void {
  const describeOn: typeof describeOnServer = serverUrl
    ? describeOnServer
    : (title, body) => describe.skip(title, () => body(anyKind));
  describeOn(name, (kind) => tests(kind, inRedis(serverUrl ?? '')));
}
