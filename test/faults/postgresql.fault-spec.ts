import { expect, it } from '@jest/globals';
import { Service } from '../support/service.js';
import { FaultTraffic } from './support/fault-traffic.js';
import { OwnPostgres } from './support/own-postgres.js';

const RESTARTS = 4;

// pipelined-reads.fault-spec.ts has broken connections, database-roles.e2e-spec.ts a server without free ones.
(OwnPostgres.isInstalled ? it : it.skip)(
  `the service recovers in time, and loses nothing, after ${RESTARTS} restarts of PostgreSQL`,
  async () => {
    const server = await OwnPostgres.create();
    const service = await Service.start({ DATABASE_URL: server.url });
    // It sends requests during each fault, and checks every response.
    const traffic = new FaultTraffic(await service.issueKey(), [service]);
    await traffic.untilServed();
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const { served } = traffic;
      await traffic.until(() => traffic.served >= served + 20);
      await server.stop(restart % 2 === 0 ? 'fast' : 'crash');
      await traffic.untilRefused(20);
      await server.start();
    }
    await traffic.recovered(performance.now());
    expect(service.hasEnded).toBe(false);
    await traffic.expectNothingLost(server.database);
    expect(await service.stop()).toBe(0);
  },
);
