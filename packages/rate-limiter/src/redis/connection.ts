import type { Cluster, Redis } from 'ioredis';
import type { Logger } from '../logger.js';
import { connectRedis, evictingPolicy, isFailedSelect, type RedisTarget, waitUntilReady } from './connect.js';

/** A process starts without Redis too. */
const WAIT_FOR_REDIS_MS = 1_000;

/** A connection that stays open, and what is known of the server behind it. */
export class RedisConnection {
  /** The server may evict counters before they expire. */
  mayEvict = false;
  readonly client: Redis | Cluster;
  private hasDatabase = true;
  private firstError: Error | undefined;

  constructor(
    target: RedisTarget,
    private readonly logger: Logger,
  ) {
    // An outage is logged once, by the counters; each failed attempt to connect only at debug level.
    this.client = connectRedis(target, (error) => this.noteError(error));
    // After each connection, because a failover may lead to a node with another configuration.
    this.client.on('ready', () => {
      this.hasDatabase = true;
      void this.readPolicy();
    });
  }

  /** Waits for the server, but only for a second. */
  async waitUntilReady(): Promise<void> {
    await waitUntilReady(this.client, WAIT_FOR_REDIS_MS);
    if (this.client.status === 'ready') return;
    this.logger.warn(
      { err: this.firstError },
      'Redis does not answer yet: until it does, limits are decided in memory',
    );
  }

  close(): void {
    // The listener is the one that connects to sentinels again.
    this.client.removeAllListeners('end').disconnect();
  }

  private noteError(error: Error): void {
    // Later errors only follow from it.
    this.firstError ??= error;
    if (this.hasDatabase && isFailedSelect(error)) {
      this.logger.error({ err: error }, 'Redis is not used: its database cannot be selected');
      this.hasDatabase = false;
    }
    this.logger.debug({ err: error }, 'connection failed');
  }

  private async readPolicy(): Promise<void> {
    try {
      const maxmemoryPolicy = await evictingPolicy(this.client);
      if (maxmemoryPolicy !== undefined && !this.mayEvict)
        this.logger.warn(
          { maxmemoryPolicy },
          'Redis may evict counters: set its maxmemory-policy to noeviction',
        );
      this.mayEvict = maxmemoryPolicy !== undefined;
    } catch (error) {
      this.logger.debug({ err: error }, 'cannot read the maxmemory-policy');
    }
  }
}
