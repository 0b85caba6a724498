import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { cleanUp } from '../support/clean-up.js';
import { issueKeys } from '../support/keys.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { FaultTraffic } from '../faults/support/fault-traffic.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { Requester } from '../faults/support/requester.js';
import { isHaproxyInstalled, startHaproxy } from './support/haproxy.js';
import { describeWhere } from './support/installed.js';

const NOT_READY = 'the database takes no writes: the service is not ready';
const SERVED_WITHIN_MS = 1_000;

const isInstalled = OwnPostgres.isInstalled && isHaproxyInstalled;

describeWhere(
  isInstalled,
  'PostgreSQL, HAProxy',
  'a service with a primary and a synchronous standby',
  () => {
    let primary: OwnPostgres;
    let standby: OwnPostgres;
    let service: Service;

    beforeEach(async () => {
      primary = await OwnPostgres.create();
      await Service.start({ DATABASE_URL: primary.url }).then((first) => first.stop());
      standby = await primary.addStandby();
    });
    afterEach(cleanUp);

    const logged = (message: string) => service.logged(message).length;

    it('is not ready on the standby until the promotion, and logs the reason once', async () => {
      service = await Service.start({ DATABASE_URL: standby.url });
      const [issued] = await issueKeys({ env: { DATABASE_URL: primary.url } }, 1);
      const { id, key } = issued!;
      // A commit waits until the standby has written it, not until queries on the standby see it.
      await until(async () => (await standby.query(`select from api_keys where id = '${id}'`)).length > 0);
      for (let round = 0; round < 5; round += 1) {
        const ready = await service.call({ path: '/health/ready' });
        expect(ready.status).toBe(503);
        expect(ready.body).toMatchObject({ message: 'The database takes no writes: it is a standby.' });
        expect((await service.call({ path: '/v1/pets', key })).status).toBe(200);
        const body = { name: 'Rex', categoryId: 1 };
        expect((await service.call({ method: 'POST', path: '/v1/pets', key, body })).status).toBe(503);
      }
      expect(logged(NOT_READY)).toBe(1);
      expect(logged('the database is away')).toBe(0);
      await primary.stop('crash');
      await standby.query('select pg_promote()');
      await until(async () => (await service.call({ path: '/health/ready' })).status === 200);
    });

    it('loses no acknowledged row when the standby is promoted under load', async () => {
      const url = await startHaproxy([primary, standby]);
      service = await Service.start({ DATABASE_URL: url });
      const key = await service.issueKey();
      const traffic = new FaultTraffic(key, [service]);
      await traffic.untilServed();
      await primary.stop('crash');
      await traffic.untilRefused(20);
      await standby.query('select pg_promote()');
      const promotedAtMs = performance.now();
      const caller = new Requester(key);
      let round = 0;
      await until(async () => (await caller.createPet(service.url, `first-${(round += 1)}`)).status === 201);
      expect(performance.now() - promotedAtMs).toBeLessThan(SERVED_WITHIN_MS);
      await traffic.recovered(promotedAtMs);
      await traffic.expectNothingLost(standby.database);
    });
  },
);
