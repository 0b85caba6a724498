import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { RedisServer } from '../../faults/support/redis-server.js';
import { freePort } from '../../support/servers/free-port.js';
import { until } from '../../support/until.js';

const SENTINELS = 3;
const SHARDS = 3;
export const MASTER_NAME = 'shop';

/** Sends one command, and retries until the server takes it. */
async function ask<Answer>(port: number, command: string, ...values: string[]): Promise<Answer> {
  const client = new Redis(port, { retryStrategy: () => 25, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  try {
    return (await client.call(command, ...values)) as Answer;
  } finally {
    client.disconnect();
  }
}

/** A master, its replica, and three sentinels that fail over one second after the master is gone. */
export class RedisWithSentinels {
  private readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-sentinels-'));
  private readonly sentinels: { port: number; child: ChildProcess }[] = [];

  private constructor(
    readonly master: RedisServer,
    readonly replica: RedisServer,
  ) {}

  static async start(): Promise<RedisWithSentinels> {
    const master = await RedisServer.start();
    const replica = await RedisServer.start({}, ['--replicaof', '127.0.0.1', String(master.port)]);
    const all = new RedisWithSentinels(master, replica);
    for (let count = 0; count < SENTINELS; count += 1) await all.addSentinel();
    await until(() => all.isComplete());
    return all;
  }

  get env(): Record<string, string> {
    return {
      REDIS_URL: this.sentinels.map(({ port }) => `redis://127.0.0.1:${port}`).join(),
      REDIS_SENTINEL_MASTER: MASTER_NAME,
    };
  }

  /** Whether the replica has become the master. */
  async isPromoted(): Promise<boolean> {
    return (await ask<string[]>(this.replica.port, 'ROLE'))[0] === 'master';
  }

  async drop(): Promise<void> {
    for (const { child } of this.sentinels) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await Promise.all([this.master.drop(), this.replica.drop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async addSentinel(): Promise<void> {
    const port = await freePort();
    const file = join(this.folder, `${port}.conf`);
    writeFileSync(
      file,
      `port ${port}
dir ${this.folder}
sentinel monitor ${MASTER_NAME} 127.0.0.1 ${this.master.port} 2
sentinel down-after-milliseconds ${MASTER_NAME} 1000
sentinel failover-timeout ${MASTER_NAME} 3000
`,
    );
    const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
    this.sentinels.push({ port, child });
  }

  /** Whether every sentinel knows the replica and the other sentinels. */
  private async isComplete(): Promise<boolean> {
    for (const { port } of this.sentinels) {
      const fields = await ask<string[]>(port, 'SENTINEL', 'MASTER', MASTER_NAME);
      const valueOf = (name: string) => Number(fields[fields.indexOf(name) + 1]);
      if (valueOf('num-slaves') !== 1 || valueOf('num-other-sentinels') !== SENTINELS - 1) return false;
    }
    return true;
  }
}

/** A Redis Cluster of three shards, without replicas. */
export class RedisCluster {
  private constructor(readonly shards: RedisServer[]) {}

  static async start(): Promise<RedisCluster> {
    const shards: RedisServer[] = [];
    for (let count = 0; count < SHARDS; count += 1) {
      const busPort = String(await freePort());
      const options = [
        '--cluster-enabled',
        'yes',
        '--cluster-port',
        busPort,
        '--cluster-node-timeout',
        '1000',
      ];
      shards.push(await RedisServer.start({}, [...options, '--cluster-require-full-coverage', 'no']));
    }
    const addresses = shards.map(({ port }) => `127.0.0.1:${port}`);
    execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'ignore' });
    const cluster = new RedisCluster(shards);
    for (const { port } of shards) {
      await until(async () => (await ask<string>(port, 'CLUSTER', 'INFO')).includes('cluster_state:ok'));
    }
    return cluster;
  }

  get env(): Record<string, string> {
    return { REDIS_URL: this.shards.map(({ url }) => url).join(), REDIS_CLUSTER: 'true' };
  }

  /** The index of the shard that holds a key's counters. */
  async shardOf(keyId: string): Promise<number> {
    const [first] = this.shards;
    const slot = await ask<number>(first!.port, 'CLUSTER', 'KEYSLOT', `{key:${keyId}}`);
    return Math.floor((slot * SHARDS) / 16_384);
  }

  async drop(): Promise<void> {
    await Promise.all(this.shards.map((shard) => shard.drop()));
  }
}
