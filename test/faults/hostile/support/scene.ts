import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { cleanUp } from '../../../support/clean-up.js';
import { onDatabase, type Env, type TestDatabase } from '../../../support/databases.js';
import { issueKeys } from '../../../support/keys.js';
import { describeOnServers, type TestRedis } from '../../../support/servers/redis.js';
import { Service } from '../../../support/service.js';
import { NODE_FLAGS } from '../../../support/tools/node-flags.js';
import { isServing } from './attacker.js';
import { HonestCaller } from './honest-caller.js';

/** Memory that grows without a bound ends the process. */
const HEAP_MB = 256;
const WITHIN_MS = 2_500;

interface SceneOptions {
  env?: Env;
  /** Makes another build of the service. */
  dist?: () => string;
  /** The URL of a proxy for the database. */
  databaseUrl?: (url: string) => Promise<string>;
  pets?: number;
  petName?: string;
}

/** The built service as `npm start` runs it, with a smaller heap, on PostgreSQL and Redis, one for each group of attacks. */
export class Scene {
  database!: TestDatabase;
  service!: Service;
  /** A key with limits that no attack reaches. */
  key = '';
  /** A key of the plan free. */
  freeKey = '';
  /** The honest caller's key, which no attacker uses. */
  private honestKey = '';

  get url(): string {
    return this.service.url;
  }

  async start(database: TestDatabase, redis: TestRedis, options: SceneOptions): Promise<void> {
    const { env, dist, databaseUrl, pets = 20, petName = 'Rex' } = options;
    this.database = database;
    const all: Env = { ...database.env, ...redis.env, ...env };
    if (databaseUrl) all.DATABASE_URL = await databaseUrl(database.env.DATABASE_URL!);
    const nodeFlags = [...NODE_FLAGS, `--max-old-space-size=${HEAP_MB}`];
    this.service = await Service.start(all, dist?.(), nodeFlags);
    const [attackers, honest] = await issueKeys(database, 2);
    this.key = attackers!.key;
    this.honestKey = honest!.key;
    const [free] = await issueKeys(database, 1, { plan: 'free' });
    this.freeKey = free!.key;
    const statement = `insert into pets (name, category_id, status) select $1, 7, 'available' from generate_series(1, $2)`;
    await onDatabase(database, statement, [petName, pets]);
  }

  /** The number of open descriptors of the service; 0 after its end. */
  get descriptors(): number {
    return this.service.hasEnded ? 0 : readdirSync(`/proc/${this.service.pid}/fd`).length;
  }

  /** Limits the descriptors that the service opens to numbers below `count`. */
  limitDescriptors(count: number): void {
    execFileSync('prlimit', ['--pid', String(this.service.pid), `--nofile=${count}:`]);
  }

  /**
   * Runs an attack beside an honest caller. Expects that the service survives it and answers that caller in time. `mayFail`: a status that
   * the caller may get instead of 200.
   */
  async attack(attack: () => Promise<void>, mayFail?: string): Promise<void> {
    const caller = await HonestCaller.start(this.url, this.honestKey);
    await attack();
    expect(await isServing(this.url)).toBe(true);
    const { served, failed, longestMs } = await caller.end();
    expect(this.service.hasEnded).toBe(false);
    expect(failed.filter((outcome) => outcome !== mayFail)).toEqual([]);
    if (mayFail !== undefined) return;
    expect(served).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(WITHIN_MS);
  }
}

/** Describes attacks on a service. They are skipped without TEST_DATABASE_URL and TEST_REDIS_URL. */
export function describeHostile(name: string, options: SceneOptions, tests: (scene: Scene) => void): void {
  describeOnServers(name, (kind, inRedis) => {
    const scene = new Scene();
    beforeAll(async () => scene.start(await kind.create(), await inRedis.create(), options));
    afterAll(cleanUp);
    tests(scene);
  });
}
