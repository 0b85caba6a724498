import { expect, it } from '@jest/globals';
import { issueKeys } from '../support/keys.js';
import { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { OwnPostgres } from '../faults/support/own-postgres.js';
import { describeWhere } from './support/installed.js';

const NOT_READY = 'the database takes no writes: the service is not ready';

// database-away.e2e-spec.ts has connections that a switchover leaves on the old primary.
describeWhere(
  OwnPostgres.isInstalled,
  'PostgreSQL',
  'a service with a primary and a synchronous standby',
  () => {
    it('is not ready on the standby until the promotion, and logs the reason once', async () => {
      const primary = await OwnPostgres.create();
      await Service.start({ DATABASE_URL: primary.url }).then((first) => first.stop());
      const standby = await primary.addStandby();
      const service = await Service.start({ DATABASE_URL: standby.url });
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
      expect(service.logged(NOT_READY)).toHaveLength(1);
      expect(service.logged('the database is away')).toEqual([]);
      await primary.stop('crash');
      await standby.query('select pg_promote()');
      await until(async () => (await service.call({ path: '/health/ready' })).status === 200);
    });
  },
);
