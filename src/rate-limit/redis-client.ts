import { Cluster, Redis, type RedisOptions } from 'ioredis';

export interface RedisClientOptions {
  /** One address, or with isCluster any number of seed nodes. */
  urls: string[];
  isCluster?: boolean;
}

/**
 * A connection that fails at once rather than waits: nothing is queued or sent twice, and a socket that has gone silent is
 * replaced. How long an answer may take is for reply-deadline.ts to say; ioredis's commandTimeout would also count
 * stalls of this process. Connects in the background and for ever; `onError` hears each failure.
 */
export function connectRedis(options: RedisClientOptions, onError: (error: Error) => void): Redis | Cluster {
  const shared: RedisOptions = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2_000,
    socketTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    // The address of a managed Redis points at another node after a failover; the old one then only reads.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 1 : false),
  };
  const [url = ''] = options.urls;
  const client = options.isCluster ? connectCluster(options.urls, shared) : new Redis(url, shared);
  return client.on('error', onError);
}

function connectCluster(nodes: string[], shared: RedisOptions): Cluster {
  const { username, password, protocol } = new URL(nodes[0] ?? '');
  return new Cluster(nodes, {
    enableOfflineQueue: false,
    clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 500),
    slotsRefreshTimeout: 2_000,
    // Nodes that the cluster itself names come without credentials.
    redisOptions: {
      ...shared,
      ...(username ? { username: decodeURIComponent(username) } : {}),
      ...(password ? { password: decodeURIComponent(password) } : {}),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  });
}

/** Resolves when the connection is ready, or when that has taken long enough: the service starts without Redis too. */
export async function waitUntilReady(client: Redis | Cluster, atMostMs: number): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, atMostMs);
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
