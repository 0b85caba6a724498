import { expect, it } from '@jest/globals';
import { onDatabase } from '../../support/databases.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { until } from '../../support/until.js';
import { reportFigures } from '../support/figures.js';
import { Attacker, closeAll, head, isServing, untilQuiet } from './support/attacker.js';
import { describeHostile, type Scene } from './support/scene.js';

const CONNECTIONS = 100;
const UNANSWERED = 32;
/** Other connections of the service: to its database and from the honest caller. */
const POOLS = 15;
/** At this rate a reader needs more time than the service waits for a client that reads nothing. */
const SLOW_BYTES_PER_SECOND = 1_000_000;
const TARGETS = ['/docs/swagger-ui-bundle.js', '/openapi.json', '/v1/pets?limit=100'];
// The service waits 40 s without progress, and once more if the kernel accepted bytes meanwhile.
const CLOSED_WITHIN_MS = 90_000;

const OF_SERVICE = `datname = current_database() and application_name = 'animal-store'`;

const start = async (scene: Scene) => {
  await scene.start();
  // A page of 100 animals has 100 KB, so that the responses exceed the kernel's buffers.
  await scene.insertPets(200, '🐕'.repeat(255));
};

describeHostile('connections that never read', start, (scene) => {
  it.each([UNANSWERED, 200])(
    'with %d requests each use little memory and are closed, unlike a slow reader',
    async (requests) => {
      const descriptorsBefore = scene.service.descriptors;
      const proxy = await TcpProxy.before(scene.url);
      proxy.throttle(SLOW_BYTES_PER_SECOND);
      const reader = await Attacker.open(proxy.url);
      reader.send(head(TARGETS[0]!).repeat(UNANSWERED));
      let cutAfterMs = 0;
      const impact = await scene.measureAttack(
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
            return scene.service.descriptors <= descriptorsBefore + POOLS || cutAfterMs > CLOSED_WITHIN_MS;
          });
          closeAll(attackers);
        },
      );
      reportFigures('their connections', { 'cut after ms': Math.round(cutAfterMs) });
      const answers = () => reader.received.split('HTTP/1.1 200 OK').slice(1);
      const areComplete = (all: string[]) =>
        all.length === UNANSWERED && all.every(({ length }) => length === all[0]!.length);
      // A busy machine can also be quiet in the middle.
      await until(() => reader.isClosed || (reader.isQuiet && areComplete(answers())));
      const [first = '', ...others] = answers();
      expect(others).toHaveLength(UNANSWERED - 1);
      expect(others.every(({ length }) => length === first.length)).toBe(true);
      reader.close();
      await proxy.close();
      scene.expectServed(impact);
      expect(cutAfterMs).toBeLessThan(CLOSED_WITHIN_MS);
      expect(impact.descriptors).toBeLessThanOrEqual(descriptorsBefore + CONNECTIONS + 2 * POOLS);
      expect(impact.grewMb).toBeLessThanOrEqual(250);
    },
  );
});

describeHostile('a service without free descriptors', start, (scene) => {
  it('answers 503, serves its pages, and recovers', async () => {
    const attacker = await Attacker.open(scene.url);
    const impact = await scene.measureAttack('no descriptors left', async () => {
      // All lower descriptors are in use, so that a closed one cannot be opened again.
      scene.service.limitDescriptors(3);
      await onDatabase(
        scene.database,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where ${OF_SERVICE}`,
      );
      // Sessions end some time after the call.
      const sessions = () => onDatabase(scene.database, `select from pg_stat_activity where ${OF_SERVICE}`);
      await until(async () => (await sessions()).length === 0);
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
    expect(impact.failed.filter((outcome) => outcome !== '503')).toEqual([]);
    const after = await scene.measureAttack('descriptors again', async () => {
      const caller = await Attacker.open(scene.url);
      caller.send(head('/v1/pets', scene.key));
      await caller.untilAnswers(1);
      expect(caller.statuses).toEqual([200]);
      caller.close();
    });
    scene.expectServed(after);
  });
});
