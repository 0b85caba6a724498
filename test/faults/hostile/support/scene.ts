import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { describeOnServer, onDatabase, type Env, type TestDatabase } from '../../../support/databases.js';
import { issueKeys } from '../../../support/keys.js';
import { redisKinds } from '../../../support/servers/redis.js';
import { cleanUp } from '../../../support/service.js';
import { AttackedService } from './attacked-service.js';
import { Attacker, closeAll, isServing, untilQuiet } from './attacker.js';
import { HonestCaller } from './honest-caller.js';

const ONE_BYTE_CHUNKS = Buffer.from('1\r\n \r\n'.repeat(2_000));

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

/** A service with PostgreSQL and Redis, one for each group of attacks. */
export class Scene {
  database!: TestDatabase;
  service!: AttackedService;
  /** A key with limits that no attack reaches. */
  key = '';
  /** The honest caller's key, which no attacker uses. */
  private honestKey = '';
  private env: Env = {};
  private wasAttacked = false;

  get url(): string {
    return this.service.url;
  }

  async start(database: TestDatabase, options: SceneOptions): Promise<void> {
    const { env, databaseUrl, pets = 20, petName = 'Rex' } = options;
    this.database = database;
    const redis = await redisKinds.at(-1)!.create();
    this.env = { ...database.env, ...redis.env, ...env };
    if (databaseUrl) this.env.DATABASE_URL = await databaseUrl(database.env.DATABASE_URL!);
    this.service = await AttackedService.start(this.env);
    const [attackers, honest] = await issueKeys(database, 2);
    this.key = attackers!.key;
    this.honestKey = honest!.key;
    const statement = `insert into pets (name, category_id, status) select $1, 7, 'available' from generate_series(1, $2)`;
    await onDatabase(database, statement, [petName, pets]);
  }

  /** Restarts the service before each attack, because a process does not release its peak memory. */
  async refresh(): Promise<void> {
    if (!this.wasAttacked) return;
    await this.service.stop();
    this.service = await AttackedService.start(this.env);
    this.wasAttacked = false;
  }

  /** Runs an attack beside an honest caller. Expects that the service survives it, within these limits, and answers that caller. */
  async attack(
    { grewMb = Infinity, withinMs = 1_500, mayFail }: Limits,
    attack: () => Promise<void>,
  ): Promise<{ descriptors: number }> {
    this.wasAttacked = true;
    const caller = await HonestCaller.start(this.url, this.honestKey);
    this.service.resetPeak();
    const beforeMb = this.service.peakMb;
    let descriptors = 0;
    let peakMb = 0;
    const look = () => {
      descriptors = Math.max(descriptors, this.service.descriptors);
      peakMb = Math.max(peakMb, this.service.peakMb);
    };
    const watch = setInterval(look, 100);
    await attack().finally(() => clearInterval(watch));
    expect(await isServing(this.url)).toBe(true);
    look();
    const { served, failed, longestMs } = await caller.end();
    expect(this.service.isAlive).toBe(true);
    expect(failed.filter((outcome) => outcome !== mayFail)).toEqual([]);
    expect(peakMb - beforeMb).toBeLessThanOrEqual(grewMb);
    if (mayFail !== undefined) return { descriptors };
    expect(served).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(withinMs);
    return { descriptors };
  }

  /** Each of 100 connections sends up to 60,000 chunks of one byte. */
  async sendOneByteChunks(headOf: () => string): Promise<void> {
    const attackers = await Attacker.openMany(this.url, 100);
    for (const attacker of attackers) {
      attacker.send(headOf());
      attacker.send(ONE_BYTE_CHUNKS, 30);
    }
    await untilQuiet(attackers);
    closeAll(attackers);
  }
}

/** Describes attacks on a service. They are skipped without TEST_DATABASE_URL and TEST_REDIS_URL. */
export function describeHostile(name: string, options: SceneOptions, tests: (scene: Scene) => void): void {
  const onBoth = process.env.TEST_REDIS_URL
    ? describeOnServer
    : (title: string) => describe.skip(title, () => undefined);
  onBoth(name, (kind) => {
    const scene = new Scene();
    beforeAll(async () => scene.start(await kind.create(), options));
    beforeEach(() => scene.refresh());
    afterAll(cleanUp);
    tests(scene);
  });
}
