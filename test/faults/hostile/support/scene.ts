import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { describeOnServer, onDatabase, type TestDatabase } from '../../../support/databases.js';
import { issueKeys } from '../../../support/keys.js';
import { redisKinds, type TestRedis } from '../../../support/servers/redis.js';
import { until } from '../../../support/until.js';
import { reportFigures } from '../../support/figures.js';
import { AttackedService } from './attacked-service.js';
import { isServing } from './attacker.js';
import { HonestCaller, type Treatment } from './honest-caller.js';

/** For an honest caller, while an attack goes on. */
export const SERVED_WITHIN_MS = 1_500;

/** What an attack did to the service and to an honest caller meanwhile. */
export interface Damage extends Treatment {
  grewMb: number;
  descriptors: number;
}

/** A service with PostgreSQL and Redis beside it, one for each test file. */
export class Scene {
  database!: TestDatabase;
  redis!: TestRedis;
  service!: AttackedService;
  /** A key without a limit that matters. */
  key = '';
  /** The honest caller's key, which no attacker uses. */
  private honestKey = '';
  private env: Record<string, string> = {};
  private hasSuffered = false;

  get url(): string {
    return this.service.url;
  }

  /** `databaseUrl`: the way to the database, where something stands in between. */
  async start(env: Record<string, string> = {}, databaseUrl?: string): Promise<void> {
    const way: Record<string, string> = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
    this.env = { ...this.database.env, ...this.redis.env, ...way, ...env };
    this.service = await AttackedService.start(this.env);
    const [attackers, honest] = await issueKeys(this.database, 2);
    this.key = attackers!.key;
    this.honestKey = honest!.key;
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }

  /** Every attack gets a fresh process: memory that was needed once is not given back. */
  async refresh(): Promise<void> {
    if (!this.hasSuffered) return;
    await this.service.stop();
    this.service = await AttackedService.start(this.env);
    this.hasSuffered = false;
  }

  async insertPets(count: number, name: string): Promise<void> {
    const statement = `insert into pets (name, category_id, status) select $1, 7, 'available' from generate_series(1, $2)`;
    await onDatabase(this.database, statement, [name, count]);
  }

  /** Runs an attack beside an honest caller, and reports what it did. */
  async suffer(title: string, attack: () => Promise<void>): Promise<Damage> {
    this.hasSuffered = true;
    const caller = await HonestCaller.start(this.url, this.honestKey);
    const beforeMb = this.service.residentMb;
    this.service.forgetPeak();
    const processorMs = this.service.processorMs;
    let descriptors = 0;
    let peakMb = 0;
    const look = () => {
      descriptors = Math.max(descriptors, this.service.descriptors);
      peakMb = Math.max(peakMb, this.service.peakMb);
    };
    const watch = setInterval(look, 100);
    try {
      await attack();
    } finally {
      clearInterval(watch);
    }
    const serves = await isServing(this.url);
    look();
    const grewMb = Math.round(peakMb - beforeMb);
    const damage = { ...(await caller.end()), grewMb, descriptors };
    const { served, failed, longestMs } = damage;
    reportFigures(title, {
      'serves after': String(serves),
      'grew MB': grewMb,
      'longest wait ms': longestMs,
      served,
      failed: failed.length === 0 ? 0 : `${failed.length} (${failed[0]})`,
      descriptors,
      'processor ms': this.service.processorMs - processorMs,
    });
    return damage;
  }

  /** The service lives, and an honest caller was served throughout, in time. */
  expectServed({ served, failed, longestMs }: Treatment, withinMs = SERVED_WITHIN_MS): void {
    expect(this.service.isAlive).toBe(true);
    expect(failed).toEqual([]);
    expect(served).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(withinMs);
  }

  /** Resolves when the service has let go of what attackers held. */
  async untilDescriptorsAtMost(count: number): Promise<void> {
    await until(() => this.service.descriptors <= count);
  }
}

/** A theme of attacks; skipped without TEST_DATABASE_URL and TEST_REDIS_URL. `start`: how the service is started. */
export function describeHostile(
  name: string,
  start: (scene: Scene) => Promise<void>,
  tests: (scene: Scene) => void,
): void {
  const onBoth = process.env.TEST_REDIS_URL
    ? describeOnServer
    : (title: string) => describe.skip(title, () => undefined);
  onBoth(name, (kind) => {
    const scene = new Scene();
    beforeAll(async () => {
      scene.database = await kind.create();
      scene.redis = await redisKinds.at(-1)!.create();
      await start(scene);
    });
    beforeEach(() => scene.refresh());
    afterAll(async () => {
      await scene.stop();
      await scene.redis.drop();
      await scene.database.drop();
    });
    tests(scene);
  });
}
