import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { cleanUp } from '../support/clean-up.js';
import { connectTo, describeOnServer, type TestDatabase } from '../support/databases.js';
import { Service } from '../support/service.js';
import { FaultTraffic } from './support/fault-traffic.js';
import { buildNextRelease } from './support/next-release.js';

const RESTARTS = Number(process.env.FAULT_RESTARTS ?? 10);
const REQUESTS = 5_000 * RESTARTS;
const LANES = { readers: 12, writers: 4 };
/** Longer than the balancer needs to notice, also on a busy machine. */
const DRAINING = { SHUTDOWN_DELAY_MS: '2000' };

describeOnServer('replicas on PostgreSQL', (kind) => {
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await kind.createUnmigrated();
    env = { ...database.env, ...DRAINING };
  });
  afterEach(cleanUp);

  async function trafficOn(replicas: Service[]): Promise<FaultTraffic> {
    const traffic = new FaultTraffic(await replicas[0]!.issueKey(), [], LANES);
    await Promise.all(replicas.map((replica) => traffic.add(replica)));
    return traffic;
  }

  it(`can be restarted ${RESTARTS} times under load without a failure in ${REQUESTS} requests`, async () => {
    let replicas = [await Service.start(env), await Service.start(env)];
    const traffic = await trafficOn(replicas);
    for (let restart = 1; restart <= RESTARTS; restart += 1) {
      const [oldest, newest] = replicas as [Service, Service];
      const next = await Service.start(env);
      await traffic.add(next);
      expect(await traffic.stop(oldest)).toBe(0);
      replicas = [newest, next];
      // Spread evenly over the load.
      await traffic.until(() => traffic.sent >= (REQUESTS / RESTARTS) * restart);
    }
    await traffic.endServed();
    await traffic.expectNothingLost(database);
  });

  it('of the old release serve during and after the migration of the next release', async () => {
    const { dist, migrations } = buildNextRelease();
    const old = [await Service.start(env), await Service.start(env)];
    const traffic = await trafficOn(old);
    await traffic.until(() => traffic.sent >= 500);
    // A reader such as a backup blocks the migration, and no request may wait behind the migration for long.
    const reader = await connectTo(database);
    await reader.query('begin; lock table pets in access share mode');
    const blocked = new Service(env, dist);
    expect(await blocked.ended()).toBe(1);
    expect(blocked.stderr).toBe(
      'The database at DATABASE_URL cannot be migrated: canceling statement due to lock timeout\n',
    );
    await reader.end();
    const next = await Service.start(env, dist);
    expect(next.logged('migrated the database')).toMatchObject([{ migrations }]);
    const sentBefore = traffic.sent;
    await traffic.add(next);
    await traffic.until(() => traffic.sent >= sentBefore + 1_000);
    for (const replica of old) expect(await traffic.stop(replica)).toBe(0);
    const { sent } = traffic;
    await traffic.until(() => traffic.sent >= sent + 500);
    await traffic.endServed();
    await traffic.expectNothingLost(database);
  });
});
