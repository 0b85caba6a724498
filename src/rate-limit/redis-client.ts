import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Config } from '../platform/config/config.js';
import type { Metrics } from '../platform/telemetry/metrics/metrics.js';

/** null: counters are in memory. */
export type RedisConnection = Redis | Cluster | null;

/** The service starts without Redis too. */
const WAIT_FOR_REDIS_MS = 1_000;
const SENTINEL_PORT = 26_379;

/**
 * A client that fails at once instead of waiting: nothing is queued or sent twice, and a silent socket is replaced.
 * RedisCounters limits how long a reply may take; ioredis's commandTimeout would also count stalls of this process.
 */
const OPTIONS: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  socketTimeout: 2_000,
  retryStrategy: (attempt) => Math.min(50 * attempt, 500),
  // The address of a managed Redis points at another node after a failover; the old node then only reads.
  // Redis 6.2 puts the error of a script behind a text of its own.
  reconnectOnError: ({ message }) => (message.includes('READONLY') ? 1 : false),
};

/** Opens the connection to Redis, where the environment names one. */
export async function connectRedis({ redis }: Config, metrics: Metrics | null): Promise<RedisConnection> {
  let mayEvict = false;
  metrics?.gauge(
    'animal_store_redis_may_evict',
    '1 while the maxmemory-policy of Redis allows it to evict counters.',
    () => (mayEvict ? 1 : 0),
  );
  if (redis.urls.length === 0) return null;
  const logger = new Logger('Redis');
  // The library is loaded only where it is used.
  const client = createClient(await import('ioredis'), redis);
  let hasDatabase = true;
  // An outage is logged once, by the counters; each failed attempt to connect only at debug level.
  client.on('error', (error: Error & { command?: { name: string } }) => {
    logger.debug({ err: error }, 'connection failed');
    if (error.command?.name !== 'select') return;
    // ioredis would go on in database 0, whose counters may be those of another service.
    client.disconnect(true);
    if (hasDatabase) logger.error({ err: error }, 'Redis is not used: its database cannot be selected');
    hasDatabase = false;
  });
  const noteEviction = (maxmemoryPolicy: string | undefined) => {
    mayEvict = maxmemoryPolicy !== undefined;
    if (mayEvict)
      logger.warn({ maxmemoryPolicy }, 'Redis may evict counters: set its maxmemory-policy to noeviction');
  };
  // After each connection, because a failover may lead to a node with another configuration.
  client.on('ready', () => {
    hasDatabase = true;
    evictingPolicy(client).then(noteEviction, () => undefined);
  });
  await once(client, 'ready', { signal: AbortSignal.timeout(WAIT_FOR_REDIS_MS) }).catch((err: unknown) =>
    logger.warn({ err }, 'Redis does not answer yet: until it does, limits are decided in memory'),
  );
  return client;
}

/** Connects in the background and retries without end. */
export function createClient(
  { Cluster, Redis }: Pick<typeof import('ioredis'), 'Cluster' | 'Redis'>,
  { urls, cluster, sentinelMaster }: Config['redis'],
): Redis | Cluster {
  if (cluster)
    return new Cluster(urls, {
      // Calls that meet a node for the first time, such as one that slots move to, wait until it is connected.
      enableOfflineQueue: true,
      // No call is sent twice, or after its deadline.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      slotsRefreshTimeout: 2_000,
      // The cluster names its nodes without credentials.
      redisOptions: { ...OPTIONS, ...credentialsOf(urls[0]) },
    });
  if (sentinelMaster === undefined) return new Redis(urls[0] ?? '', OPTIONS);
  const redis = new Redis({ ...OPTIONS, ...sentinelOptions(urls, sentinelMaster) });
  // ioredis ends a client for good when sentinels report a failover while it asks one of them for the master.
  return redis.on('end', () => void redis.connect().catch(() => undefined));
}

/** Sentinels name the master without credentials, so the first sentinel's are for the master too. */
export function sentinelOptions(sentinels: string[], name: string): RedisOptions {
  const urls = sentinels.map((sentinel) => new URL(sentinel));
  const { username, password, tls } = credentialsOf(sentinels[0]);
  return {
    name,
    sentinels: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || SENTINEL_PORT),
    })),
    sentinelCommandTimeout: 1_000,
    // A master that is frozen keeps its connections: the sentinels say when another one took over.
    failoverDetector: true,
    db: Number(urls[0]?.pathname.slice(1) ?? 0),
    username,
    password,
    sentinelUsername: username,
    sentinelPassword: password,
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

/** Those that the URL lacks are empty. */
function credentialsOf(url = ''): { username: string; password: string; tls?: object } {
  const { username, password, protocol } = new URL(url);
  return {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}

/** The maxmemory policy under which a node may evict counters before they expire. INFO, because managed services forbid CONFIG. */
export async function evictingPolicy(client: Redis | Cluster): Promise<string | undefined> {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis];
  const infos = await Promise.all(nodes.map((node) => node.info('memory')));
  return infos
    .map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1])
    .find((policy) => policy !== undefined && policy !== 'noeviction');
}
