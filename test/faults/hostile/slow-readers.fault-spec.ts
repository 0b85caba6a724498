import { expect, it } from '@jest/globals';
import { onDatabase } from '../../support/databases.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { until } from '../../support/until.js';
import { reportFigures } from '../support/figures.js';
import { Attacker, closeAll, head, isServing, untilQuiet } from './support/attacker.js';
import { describeHostile, type Scene } from './support/scene.js';

const CONNECTIONS = 100;
const UNANSWERED = 32;
/** What the service may open beside attackers: connections to its database and the honest caller's. */
const POOLS = 15;
/** A reader that takes longer for its answers than the service waits for one that takes nothing. */
const SLOW_BYTES_PER_SECOND = 1_000_000;
const TARGETS = ['/docs/swagger-ui-bundle.js', '/openapi.json', '/v1/pets?limit=100'];
// The service waits for 40 s of silence, and once more when the kernel took some bytes meanwhile.
const CUT_WITHIN_MS = 90_000;

const start = async (scene: Scene) => {
  await scene.start();
  // A page of 100 has 100 KB: far more of them than the kernel buffers for a connection.
  await scene.insertPets(200, '🐕'.repeat(255));
};

describeHostile('connections that never read', start, (scene) => {
  it.each([UNANSWERED, 200])(
    'with %d requests each hold little and are cut; a slow reader is not',
    async (requests) => {
      const descriptorsBefore = scene.service.descriptors;
      const way = await TcpProxy.before(scene.url);
      way.throttle(SLOW_BYTES_PER_SECOND);
      const reader = await Attacker.open(way.url);
      reader.send(head(TARGETS[0]!).repeat(UNANSWERED));
      let cutAfterMs = 0;
      const damage = await scene.suffer(
        `${CONNECTIONS} that never read, ${requests} requests each`,
        async () => {
          const attackers = await Attacker.openMany(scene.url, CONNECTIONS, false);
          for (const [at, attacker] of attackers.entries()) {
            attacker.send(head(TARGETS[at % TARGETS.length]!, scene.key).repeat(requests));
          }
          await untilQuiet(attackers);
          const begunMs = performance.now();
          await until(() => {
            cutAfterMs = performance.now() - begunMs;
            return scene.service.descriptors <= descriptorsBefore + POOLS || cutAfterMs > CUT_WITHIN_MS;
          });
          closeAll(attackers);
        },
      );
      reportFigures('their connections', { 'cut after ms': Math.round(cutAfterMs) });
      await until(() => reader.isQuiet);
      const [first = '', ...others] = reader.received.split('HTTP/1.1 200 OK').slice(1);
      expect(others).toHaveLength(UNANSWERED - 1);
      expect(others.every(({ length }) => length === first.length)).toBe(true);
      reader.close();
      await way.close();
      scene.expectServed(damage);
      expect(cutAfterMs).toBeLessThan(CUT_WITHIN_MS);
      expect(damage.descriptors).toBeLessThanOrEqual(descriptorsBefore + CONNECTIONS + 2 * POOLS);
      expect(damage.grewMb).toBeLessThanOrEqual(250);
    },
  );
});

describeHostile('a service that can open nothing more', start, (scene) => {
  it('answers 503 at worst, serves its pages, and recovers', async () => {
    const attacker = await Attacker.open(scene.url);
    const damage = await scene.suffer('no descriptors left', async () => {
      // Every number below is in use: what closes from now on cannot be opened again.
      scene.service.limitDescriptors(3);
      await onDatabase(
        scene.database,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      for (const [at, target] of TARGETS.entries()) {
        attacker.send(head(target, scene.key));
        await attacker.untilAnswers(at + 1);
      }
      scene.service.limitDescriptors(10_000);
      await until(() => isServing(scene.url));
    });
    attacker.close();
    expect(attacker.statuses).toEqual([200, 200, 503]);
    expect(scene.service.isAlive).toBe(true);
    expect(damage.failed.filter((outcome) => outcome !== '503')).toEqual([]);
    const after = await scene.suffer('descriptors again', async () => {
      const caller = await Attacker.open(scene.url);
      caller.send(head('/v1/pets', scene.key));
      await caller.untilAnswers(1);
      expect(caller.statuses).toEqual([200]);
      caller.close();
    });
    scene.expectServed(after);
  });
});
