import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { describeOnServer, onDatabase, type TestDatabase } from '../../../support/databases.js';
import { issueKeys } from '../../../support/keys.js';
import { redisKinds, type TestRedis } from '../../../support/servers/redis.js';
import { until } from '../../../support/until.js';
import { reportFigures } from '../../support/figures.js';
import { AttackedService } from './attacked-service.js';
import { isServing } from './attacker.js';
import { HonestCaller, type CallerResults } from './honest-caller.js';

/** The longest response time of an honest caller during an attack. */
export const SERVED_WITHIN_MS = 1_500;

/** The effect of an attack on the service and on an honest caller. */
export interface AttackImpact extends CallerResults {
  grewMb: number;
  descriptors: number;
}

/** A service with PostgreSQL and Redis, one for each test file. */
export class Scene {
  database!: TestDatabase;
  redis!: TestRedis;
  service!: AttackedService;
  /** A key with limits that no attack reaches. */
  key = '';
  /** The honest caller's key, which no attacker uses. */
  private honestKey = '';
  private env: Record<string, string> = {};
  private wasAttacked = false;

  get url(): string {
    return this.service.url;
  }

  /** `databaseUrl`: the URL of a proxy for the database. */
  async start(env: Record<string, string> = {}, databaseUrl?: string): Promise<void> {
    const proxied: Record<string, string> = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
    this.env = { ...this.database.env, ...this.redis.env, ...proxied, ...env };
    this.service = await AttackedService.start(this.env);
    const [attackers, honest] = await issueKeys(this.database, 2);
    this.key = attackers!.key;
    this.honestKey = honest!.key;
  }

  /** Also works if `start` has failed. */
  async stop(): Promise<void> {
    const { service, redis, database } = this as Partial<Scene>;
    await service?.stop();
    await redis?.drop();
    await database?.drop();
  }

  /** Restarts the service before each attack, because a process does not release its peak memory. */
  async refresh(): Promise<void> {
    if (!this.wasAttacked) return;
    await this.service.stop();
    this.service = await AttackedService.start(this.env);
    this.wasAttacked = false;
  }

  async insertPets(count: number, name: string): Promise<void> {
    const statement = `insert into pets (name, category_id, status) select $1, 7, 'available' from generate_series(1, $2)`;
    await onDatabase(this.database, statement, [name, count]);
  }

  /** Runs an attack beside an honest caller and reports its effect. */
  async measureAttack(title: string, attack: () => Promise<void>): Promise<AttackImpact> {
    this.wasAttacked = true;
    const caller = await HonestCaller.start(this.url, this.honestKey);
    const beforeMb = this.service.residentMb;
    this.service.resetPeak();
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
    } catch (error) {
      await caller.end();
      throw error;
    } finally {
      clearInterval(watch);
    }
    const serves = await isServing(this.url);
    look();
    const grewMb = Math.round(peakMb - beforeMb);
    const impact = { ...(await caller.end()), grewMb, descriptors };
    const { served, failed, longestMs } = impact;
    reportFigures(title, {
      'serves after': String(serves),
      'grew MB': grewMb,
      'longest wait ms': longestMs,
      served,
      failed: failed.length === 0 ? 0 : `${failed.length} (${failed[0]})`,
      descriptors,
      'processor ms': this.service.processorMs - processorMs,
    });
    return impact;
  }

  /** Expects that the service runs and has answered every request of the honest caller in time. */
  expectServed({ served, failed, longestMs }: CallerResults, withinMs = SERVED_WITHIN_MS): void {
    expect(this.service.isAlive).toBe(true);
    expect(failed).toEqual([]);
    expect(served).toBeGreaterThan(0);
    expect(longestMs).toBeLessThan(withinMs);
  }

  /** Resolves when the service has closed the attackers' connections. */
  async untilDescriptorsAtMost(count: number): Promise<void> {
    await until(() => this.service.descriptors <= count);
  }
}

/** Describes attacks on a service. They are skipped without TEST_DATABASE_URL and TEST_REDIS_URL. `start` starts the service. */
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
    });
    tests(scene);
  });
}
