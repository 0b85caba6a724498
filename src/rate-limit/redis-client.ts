import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Config } from '../platform/config/config.js';

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

/** Connects in the background and retries without end. */
export function createClient({ urls, cluster, sentinelMaster }: Config['redis']): Redis | Cluster {
  if (cluster) return connectCluster(urls);
  if (sentinelMaster !== undefined) return connectSentinels(urls, sentinelMaster);
  return new Redis(urls[0] ?? '', OPTIONS);
}

/** ioredis ends a client for good when sentinels report a failover while it asks one of them for the master. */
function connectSentinels(urls: string[], name: string): Redis {
  const redis = new Redis({ ...OPTIONS, ...sentinelOptions(urls, name) });
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

function connectCluster(nodes: string[]): Cluster {
  return new Cluster(nodes, {
    // Calls that meet a node for the first time, such as one that slots move to, wait until it is connected.
    enableOfflineQueue: true,
    // No call is sent twice, or after its deadline.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: 2_000,
    // The cluster names its nodes without credentials.
    redisOptions: { ...OPTIONS, ...credentialsOf(nodes[0]) },
  });
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
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  const infos = await Promise.all(nodes.map((node) => node.info('memory')));
  return infos
    .map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1])
    .find((policy) => policy !== undefined && policy !== 'noeviction');
}
