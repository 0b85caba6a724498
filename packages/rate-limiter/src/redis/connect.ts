import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

/** Where Redis is. */
export interface RedisTarget {
  /** `redis:` or `rediss:` URLs: the one server, nodes of a cluster, or sentinels. */
  urls: string[];
  /** The URLs are nodes of a Redis Cluster. */
  cluster?: boolean;
  /** The URLs are sentinels, and this is the name of the master that they watch. */
  sentinelMaster?: string | undefined;
}

const SENTINEL_PORT = 26_379;

/**
 * A connection that fails at once instead of waiting: nothing is queued or sent twice, and a silent socket is replaced.
 * RedisCounters limits how long a reply may take; ioredis's commandTimeout would also count stalls of this process.
 * Connects in the background and retries without end; `onError` receives each failure.
 *
 * A connection that cannot select the database of its URL is closed: ioredis would go on in database 0, whose counters may be
 * those of another service.
 */
export function connectRedis(target: RedisTarget, onError: (error: Error) => void): Redis | Cluster {
  const shared: RedisOptions = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2_000,
    socketTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    // The address of a managed Redis points at another node after a failover; the old node then only reads.
    // Redis 6.2 puts the error of a script behind a text of its own.
    reconnectOnError: ({ message }) => (message.includes('READONLY') ? 1 : false),
  };
  const redis = connect(target, shared);
  return redis.on('error', (error: Error) => {
    if (isFailedSelect(error)) redis.disconnect(true);
    onError(error);
  });
}

/** Redis does not have the database of the URL, or the user may not select it. */
export function isFailedSelect(error: Error): boolean {
  return error.name === 'ReplyError' && (error as { command?: { name: string } }).command?.name === 'select';
}

function connect({ urls, cluster, sentinelMaster }: RedisTarget, shared: RedisOptions) {
  if (cluster) return connectCluster(urls, shared);
  if (sentinelMaster !== undefined) return connectSentinels(urls, sentinelMaster, shared);
  return new Redis(urls[0] ?? '', shared);
}

/** ioredis ends a client for good when sentinels report a failover while it asks one of them for the master. */
function connectSentinels(urls: string[], name: string, shared: RedisOptions): Redis {
  const redis = new Redis({ ...shared, ...sentinelOptions(urls, name) });
  return redis.on('end', () => void redis.connect().catch(() => undefined));
}

/** Sentinels name the master without credentials, so the first sentinel's are for the master too. */
export function sentinelOptions(sentinels: string[], name: string): RedisOptions {
  const urls = sentinels.map((sentinel) => new URL(sentinel));
  const { username, password, tls } = credentialsOf(urls[0]);
  const db = Number(urls[0]?.pathname.slice(1) ?? 0);
  return {
    name,
    sentinels: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || SENTINEL_PORT),
    })),
    sentinelRetryStrategy: (attempt) => Math.min(50 * attempt, 500),
    sentinelCommandTimeout: 1_000,
    // A master that is frozen keeps its connections: the sentinels say when another one took over.
    failoverDetector: true,
    db,
    ...(username === undefined ? {} : { username, sentinelUsername: username }),
    ...(password === undefined ? {} : { password, sentinelPassword: password }),
    ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

/** An absent key: the URL does not have it. */
function credentialsOf(url: URL | undefined): { username?: string; password?: string; tls?: object } {
  return {
    ...(url?.username ? { username: decodeURIComponent(url.username) } : {}),
    ...(url?.password ? { password: decodeURIComponent(url.password) } : {}),
    ...(url?.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

function connectCluster(nodes: string[], shared: RedisOptions): Cluster {
  return new Cluster(nodes, {
    // Calls that meet a node for the first time, such as one that slots move to, wait until it is connected.
    enableOfflineQueue: true,
    // No call is sent twice, or after its deadline.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 500),
    slotsRefreshTimeout: 2_000,
    // The cluster names its nodes without credentials.
    redisOptions: { ...shared, ...credentialsOf(new URL(nodes[0] ?? '')) },
  });
}

/** Resolves when the connection is ready, or after `atMostMs`: the service starts without Redis too. */
export async function waitUntilReady(client: Redis | Cluster, atMostMs: number): Promise<void> {
  if (client.status === 'ready') return;
  const ready = new Promise((resolve) => client.once('ready', resolve));
  await Promise.race([ready, pause(atMostMs, undefined, { ref: false })]);
}

/** The maxmemory policy under which a node may evict counters before they expire. INFO, because managed services forbid CONFIG. */
export async function evictingPolicy(client: Redis | Cluster): Promise<string | undefined> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  const infos = await Promise.all(nodes.map((node) => node.info('memory')));
  return infos
    .map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1])
    .find((policy) => policy !== undefined && policy !== 'noeviction');
}
