import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Service } from '../support/service.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { until } from '../support/until.js';
import { FaultTraffic } from './support/fault-traffic.js';
import { OwnPostgres } from './support/own-postgres.js';

const CUTS = 10;
const RESTARTS = 4;
const CONNECTIONS = 20;
const SETTINGS = { max_connections: String(CONNECTIONS) };

const withServer = OwnPostgres.isInstalled ? describe : describe.skip;

/** FaultTraffic sends requests during each fault of PostgreSQL and checks every response. */
withServer('the service recovers after PostgreSQL', () => {
  let server: OwnPostgres;
  let proxy: TcpProxy;
  let service: Service;
  let traffic: FaultTraffic;

  beforeAll(async () => {
    server = await OwnPostgres.create(SETTINGS);
    proxy = await TcpProxy.before(server.url);
  });
  beforeEach(async () => {
    await server.query('drop schema public cascade; create schema public');
    service = await Service.start({ DATABASE_URL: proxy.url });
    traffic = new FaultTraffic(await service.issueKey(), [service]);
    await traffic.untilServed();
  });
  afterEach(async () => {
    await Service.killAll();
    await traffic.end();
  });

  /** Expects recovery in time and no lost data after the fault. */
  async function expectKept(isBackAtMs: number): Promise<void> {
    await traffic.recovered(isBackAtMs);
    expect(service.hasEnded).toBe(false);
    await traffic.expectNothingLost(server.database);
    expect(await service.stop()).toBe(0);
  }

  it(`is restarted ${RESTARTS} times`, async () => {
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      const { served } = traffic;
      await traffic.until(() => traffic.served >= served + 20);
      await server.stop(restart % 2 === 0 ? 'fast' : 'crash');
      await traffic.untilRefused(20);
      await server.start(SETTINGS);
    }
    await expectKept(performance.now());
  });

  it(`is disconnected during statements ${CUTS} times`, async () => {
    for (let cut = 0; cut < CUTS; cut += 1) {
      const served = traffic.served;
      await traffic.until(() => traffic.served >= served + 20);
      // Responses are held back first, so that every busy connection breaks during or after its statement.
      const { refused } = traffic;
      proxy.holdAnswers();
      await until(async () => traffic.refused > refused || (await server.query(BUSY)).length >= 4);
      proxy.cut();
      await traffic.untilRefused(1);
      proxy.restore();
    }
    await expectKept(performance.now());
  });

  it('has no free connection', async () => {
    const first = await server.connect();
    const holders = [first];
    while (holders.length < CONNECTIONS) {
      await first.query(`select pg_terminate_backend(pid) ${OF_SERVICE}`);
      // The service reconnects, so that this repeats until the test holds all connections.
      const taken = await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => server.connect()));
      for (const each of taken) if (each.status === 'fulfilled') holders.push(each.value);
    }
    await traffic.untilRefused(50);
    const isBackAtMs = performance.now();
    await Promise.all(holders.map((holder) => holder.end()));
    await expectKept(isBackAtMs);
  });
});

const OF_SERVICE = `from pg_stat_activity where application_name = 'animal-store'`;
const BUSY = `select ${OF_SERVICE} and state in ('active', 'idle in transaction')`;
