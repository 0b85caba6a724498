import { afterAll, expect, it } from '@jest/globals';
import { percentileMs, putLoadFromOutside, statusesOf } from '../../support/http/load.js';
import { StatementTap } from '../../support/servers/statement-tap.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { until } from '../../support/until.js';
import { reportFigures } from '../support/figures.js';
import { Attacker, closeAll, head, isServing } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

const EVERY_STATEMENT = '[^\\0]*';
let proxy: TcpProxy;
let tap: StatementTap;

describeHostile(
  'open pages',
  async (scene) => {
    proxy = await TcpProxy.before(scene.database.env.DATABASE_URL!);
    tap = await StatementTap.before(proxy.url);
    await scene.start({}, tap.url);
    await scene.insertPets(20, 'Rex');
  },
  (scene) => {
    afterAll(async () => {
      await tap.close();
      await proxy.close();
    });

    it.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/health/ready', '/health/live'])(
      'requested by 200 connections (%s) delay no other caller',
      async (path) => {
        const impact = await scene.measureAttack(`200 connections requesting ${path}`, async () => {
          const { samples, hanging } = await putLoadFromOutside(scene.url, {
            path,
            connections: 200,
            forMs: 4_000,
          });
          reportFigures(`the same, measured by these connections`, {
            answers: samples.length,
            'p99 ms': percentileMs(samples, 0.99),
          });
          expect(hanging).toBe(0);
          expect(Object.keys(statusesOf(samples))).toEqual(['200']);
        });
        scene.expectServed(impact);
        expect(impact.grewMb).toBeLessThanOrEqual(250);
      },
    );

    it('for readiness share one query when they are requested at once', async () => {
      const attackers = await Attacker.openMany(scene.url, 100);
      const before = tap.count(EVERY_STATEMENT);
      proxy.holdAnswers();
      for (const attacker of attackers) attacker.send(head('/health/ready'));
      await until(() => attackers.every(({ sentBytes }) => sentBytes > 0));
      await isServing(scene.url);
      proxy.thaw();
      await Promise.all(attackers.map((attacker) => attacker.untilAnswers(1)));
      const statements = tap.count(EVERY_STATEMENT) - before;
      reportFigures('100 simultaneous probes', { statements });
      for (const { statuses } of attackers) expect(statuses).toEqual([200]);
      // The service itself runs statements, such as the reading of key events.
      expect(statements).toBeLessThan(10);
      closeAll(attackers);
    });
  },
);
