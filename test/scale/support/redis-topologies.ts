import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisServer, sendTo } from '../../faults/support/redis-server.js';
import { start, temporaryFolder } from '../../support/clean-up.js';
import { freePort } from '../../support/servers/free-port.js';
import { until } from '../../support/until.js';

const SENTINELS = 3;
const SHARDS = 3;
const SLOTS = 16_384;
const MASTER_NAME = 'shop';
/** A replica returns an allowance at once after its end; the rest is for a slow machine. */
const RETURNED_AFTER_MS = 500;

/** A master, its replica, and three sentinels that fail over one second after the master has stopped. */
export class RedisWithSentinels {
  /** The ports of the sentinels. */
  private readonly ports: number[] = [];

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
      REDIS_URL: this.ports.map((port) => `redis://127.0.0.1:${port}`).join(),
      REDIS_SENTINEL_MASTER: MASTER_NAME,
    };
  }

  /** Whether the replica has become the master. */
  async isPromoted(): Promise<boolean> {
    return (await this.replica.send<string[]>('ROLE'))[0] === 'master';
  }

  /** Promotes the replica although the master works. */
  async failOver(): Promise<void> {
    await sendTo(this.ports[0]!, 'SENTINEL', 'FAILOVER', MASTER_NAME);
  }

  /** How many clients count requests on the replica. */
  async countingClients(): Promise<number> {
    const clients = await this.replica.send<string>('CLIENT', 'LIST');
    return clients.match(/ cmd=evalsha /g)?.length ?? 0;
  }

  /** Whether what was left of the key's allowances has come back to the replica, so that its count no longer falls. */
  async hasAllowancesBack(keyId: string): Promise<boolean> {
    const untilMs = await this.replica.send<string | null>('HGET', `rate-limit:{key:${keyId}}`, 'allowances');
    const [seconds] = await this.replica.send<[string, string]>('TIME');
    return Number(seconds) * 1_000 > Number(untilMs) + RETURNED_AFTER_MS;
  }

  private async addSentinel(): Promise<void> {
    const port = await freePort();
    const folder = temporaryFolder();
    const file = join(folder, 'sentinel.conf');
    writeFileSync(
      file,
      `port ${port}
dir ${folder}
sentinel monitor ${MASTER_NAME} 127.0.0.1 ${this.master.port} 2
sentinel down-after-milliseconds ${MASTER_NAME} 1000
sentinel failover-timeout ${MASTER_NAME} 3000
`,
    );
    start('redis-server', [file, '--sentinel']);
    this.ports.push(port);
  }

  /** Whether every sentinel knows the replica and the other sentinels. */
  private async isComplete(): Promise<boolean> {
    for (const port of this.ports) {
      const fields = await sendTo<string[]>(port, 'SENTINEL', 'MASTER', MASTER_NAME);
      const valueOf = (name: string) => Number(fields[fields.indexOf(name) + 1]);
      if (valueOf('num-slaves') !== 1 || valueOf('num-other-sentinels') !== SENTINELS - 1) return false;
    }
    return true;
  }
}

/** A Redis Cluster of three shards, without replicas. */
export class RedisCluster {
  /** The index of the current shard of each moved slot. */
  private readonly owners = new Map<number, number>();

  private constructor(readonly shards: RedisServer[]) {}

  static async start(): Promise<RedisCluster> {
    const shards: RedisServer[] = [];
    for (let count = 0; count < SHARDS; count += 1) shards.push(await startNode(await freePort()));
    const addresses = shards.map(({ port }) => `127.0.0.1:${port}`);
    execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'ignore' });
    const cluster = new RedisCluster(shards);
    await cluster.untilComplete();
    return cluster;
  }

  /** Adds a shard, which has no slots yet. */
  async addShard(): Promise<void> {
    const busPort = await freePort();
    const added = await startNode(busPort);
    await this.shards[0]!.send('CLUSTER', 'MEET', '127.0.0.1', String(added.port), String(busPort));
    this.shards.push(added);
    await this.untilComplete();
  }

  /** Moves the slot of a key's counters to the shard with this index, in the order in which redis-cli does it. */
  async moveSlotOf(keyId: string, to: number): Promise<void> {
    const slot = await this.slotOf(keyId);
    const [source, target] = [this.shards[await this.shardOf(keyId)]!, this.shards[to]!];
    const setSlot = (shard: RedisServer, ...values: string[]) =>
      shard.send('CLUSTER', 'SETSLOT', String(slot), ...values);
    const targetId = await target.send<string>('CLUSTER', 'MYID');
    await setSlot(target, 'IMPORTING', await source.send<string>('CLUSTER', 'MYID'));
    await setSlot(source, 'MIGRATING', targetId);
    const keys = await source.send<string[]>('CLUSTER', 'GETKEYSINSLOT', String(slot), '100');
    await source.send('MIGRATE', '127.0.0.1', String(target.port), '', '0', '5000', 'KEYS', ...keys);
    for (const shard of new Set([target, source, ...this.shards])) await setSlot(shard, 'NODE', targetId);
    this.owners.set(slot, to);
  }

  get env(): Record<string, string> {
    return { REDIS_URL: this.shards.map(({ url }) => url).join(), REDIS_CLUSTER: 'true' };
  }

  /** The index of the shard that holds a key's counters. */
  async shardOf(keyId: string): Promise<number> {
    const slot = await this.slotOf(keyId);
    return this.owners.get(slot) ?? Math.floor((slot * SHARDS) / SLOTS);
  }

  private slotOf(keyId: string): Promise<number> {
    return this.shards[0]!.send<number>('CLUSTER', 'KEYSLOT', `{key:${keyId}}`);
  }

  /** Resolves when every node knows all others and accepts requests. */
  private async untilComplete(): Promise<void> {
    const expected = ['cluster_state:ok', `cluster_known_nodes:${this.shards.length}`];
    for (const shard of this.shards) {
      await until(async () => {
        const info = await shard.send<string>('CLUSTER', 'INFO');
        return expected.every((line) => info.includes(line));
      });
    }
  }
}

/** Starts a node that is not yet part of a cluster. */
function startNode(busPort: number): Promise<RedisServer> {
  const options = {
    'cluster-enabled': 'yes',
    'cluster-port': busPort,
    'cluster-node-timeout': 1_000,
    'cluster-require-full-coverage': 'no',
    // Without this option a node without slots becomes a replica.
    'cluster-allow-replica-migration': 'no',
  };
  return RedisServer.start(
    {},
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
}
