import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { cleanUp } from '../../../support/clean-up.js';
import { onDatabase, type Env, type TestDatabase } from '../../../support/databases.js';
import { issueKeys } from '../../../support/keys.js';
import { describeOnServers, type TestRedis } from '../../../support/servers/redis.js';
import { Service } from '../../../support/service.js';
import { NODE_FLAGS } from '../../../support/tools/node-flags.js';
import { Attacker, closeAll, head, isServing, untilQuiet } from './attacker.js';
import { HonestCaller } from './honest-caller.js';

/** Node answers 400 after about 2,700, and frees the request. */
const ONE_BYTE_CHUNKS = '1\r\n \r\n'.repeat(2_500);

const HEAP_MB = 256;

interface SceneOptions {
  env?: Env;
  /** The URL of a proxy for the database. */
  databaseUrl?: (url: string) => Promise<string>;
  pets?: number;
  petName?: string;
}

/** What an attack may cost. */
interface Limits {
  grewMb?: number;
  /** The longest response time of the honest caller. */
  withinMs?: number;
  /** A status that the honest caller may get instead of 200. */
  mayFail?: string;
}

/** The built service as `npm start` runs it, with a smaller heap, on PostgreSQL and Redis, one for each group of attacks. */
export class Scene {
  database!: TestDatabase;
  service!: Service;
  /** A key with limits that no attack reaches. */
  key = '';
  /** The honest caller's key, which no attacker uses. */
  private honestKey = '';
  private env: Env = {};
  private wasAttacked = false;

  get url(): string {
    return this.service.url;
  }

  async start(database: TestDatabase, redis: TestRedis, options: SceneOptions): Promise<void> {
    const { env, databaseUrl, pets = 20, petName = 'Rex' } = options;
    this.database = database;
    const flags = [...NODE_FLAGS, `--max-old-space-size=${HEAP_MB}`, env?.NODE_OPTIONS];
    this.env = { ...database.env, ...redis.env, ...env, NODE_OPTIONS: flags.join(' ') };
    if (databaseUrl) this.env.DATABASE_URL = await databaseUrl(database.env.DATABASE_URL!);
    this.service = await Service.start(this.env);
    const [attackers, honest] = await issueKeys(database, 2);
    this.key = attackers!.key;
    this.honestKey = honest!.key;
    const statement = `insert into pets (name, category_id, status) select $1, 7, 'available' from generate_series(1, $2)`;
    await onDatabase(database, statement, [petName, pets]);
  }

  /** Restarts the service before each attack, because a process does not release its peak memory. */
  async refresh(): Promise<void> {
    if (!this.wasAttacked) return;
    await this.service.stop('SIGKILL');
    this.service = await Service.start(this.env);
    this.wasAttacked = false;
  }

  /** The number of open descriptors of the service; 0 after its end. */
  get descriptors(): number {
    return this.service.hasEnded ? 0 : readdirSync(`/proc/${this.service.pid}/fd`).length;
  }

  /** Limits the descriptors that the service opens to numbers below `count`. */
  limitDescriptors(count: number): void {
    execFileSync('prlimit', ['--pid', String(this.service.pid), `--nofile=${count}:`]);
  }

  /** The peak memory of the service since the last attack began; 0 after its end. */
  private peakMb(): number {
    if (this.service.hasEnded) return 0;
    const status = readFileSync(`/proc/${this.service.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Runs an attack beside an honest caller. Expects that the service survives it, within these limits, and answers that caller. */
  async attack(
    { grewMb = Infinity, withinMs = 1_500, mayFail }: Limits,
    attack: () => Promise<void>,
  ): Promise<{ descriptors: number }> {
    this.wasAttacked = true;
    const caller = await HonestCaller.start(this.url, this.honestKey);
    // Makes the kernel measure the peak from this moment.
    writeFileSync(`/proc/${this.service.pid}/clear_refs`, '5');
    const beforeMb = this.peakMb();
    let descriptors = 0;
    let peakMb = 0;
    const look = () => {
      descriptors = Math.max(descriptors, this.descriptors);
      peakMb = Math.max(peakMb, this.peakMb());
    };
    const watch = setInterval(look, 100);
    await attack().finally(() => clearInterval(watch));
    expect(await isServing(this.url)).toBe(true);
    look();
    const { served, failed, longestMs } = await caller.end();
    expect(this.service.hasEnded).toBe(false);
    expect(failed.filter((outcome) => outcome !== mayFail)).toEqual([]);
    expect(peakMb - beforeMb).toBeLessThanOrEqual(grewMb);
    if (mayFail !== undefined) return { descriptors };
    expect(served).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(withinMs);
    return { descriptors };
  }

  /**
   * Each of 180 connections sends chunks of one byte, with one of these keys; `begun` resolves when the service reads their bodies
   * or has refused them. Chunks that arrive before become one.
   */
  async sendOneByteChunks(
    keys: (() => string | undefined)[],
    begun = (attackers: Attacker[]): Promise<unknown> =>
      Promise.all(attackers.map((attacker) => attacker.untilAnswers(1))),
  ): Promise<void> {
    const attackers = await Attacker.openMany(this.url, 180);
    const lines = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n';
    for (const [at, attacker] of attackers.entries())
      attacker.send(head('/v1/pets', keys[at % keys.length]!(), lines, 'POST'));
    await begun(attackers);
    for (const attacker of attackers) attacker.send(ONE_BYTE_CHUNKS);
    await untilQuiet(attackers);
    closeAll(attackers);
  }
}

/** Describes attacks on a service. They are skipped without TEST_DATABASE_URL and TEST_REDIS_URL. */
export function describeHostile(name: string, options: SceneOptions, tests: (scene: Scene) => void): void {
  describeOnServers(name, (kind, inRedis) => {
    const scene = new Scene();
    beforeAll(async () => scene.start(await kind.create(), await inRedis.create(), options));
    beforeEach(() => scene.refresh());
    afterAll(cleanUp);
    tests(scene);
  });
}
