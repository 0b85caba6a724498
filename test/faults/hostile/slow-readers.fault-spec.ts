import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { onDatabase } from '../../support/databases.js';
import { call } from '../../support/http/client.js';
import { SHORT_HTTP_TIMEOUTS } from '../../support/preload.js';
import { until } from '../../support/until.js';
import { Attacker, closeAll, head, isServing } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

/** The service answers the first of these at most, and may close a connection that sends more. */
const REQUESTS = [32, 200];
const CONNECTIONS = 100;
/** Other connections of the service: to its database and from the honest caller. */
const POOLS = 15;
/** At this rate a reader needs more time than the service waits for a client that reads nothing. */
const SLOW_BYTES_PER_SECOND = 4_000_000;
const TARGETS = ['/docs/swagger-ui-bundle.js', '/openapi.json', '/v1/pets?limit=100'];
// The service waits 4 s (a tenth in this test) without progress, and once more if the kernel accepted bytes meanwhile.
const CLOSED_WITHIN_MS = 20_000;

const IDLE = 2_000;
const [command, ...sizes] = 'slowhttptest -c 1000 -r 1000 -l 5'.split(' ') as [string, ...string[]];
const isInstalled = spawnSync(command, ['-h']).error === undefined;

const OF_SERVICE = `from pg_stat_activity where datname = current_database() and application_name = 'animal-store'`;

// A page of 100 animals has 100 KB, so that the responses exceed the kernel's buffers.
const options = { env: SHORT_HTTP_TIMEOUTS, pets: 200, petName: '🐕'.repeat(255) };

describeHostile('connections that never read', options, (scene) => {
  it('use little memory and are closed after 40 s (a tenth in this test), unlike a slow reader', async () => {
    expect(scene.service.stderr).toContain('silence 40000\n');
    const descriptorsBefore = scene.descriptors;
    const reader = await Attacker.open(scene.url, SLOW_BYTES_PER_SECOND);
    const beganMs = performance.now();
    reader.send(head(TARGETS[0]!).repeat(REQUESTS[0]!));
    let cutAfterMs = 0;
    const { descriptors } = await scene.attack({ grewMb: 250 }, async () => {
      const attackers = await Attacker.openMany(scene.url, REQUESTS.length * CONNECTIONS, 0);
      for (const [at, attacker] of attackers.entries()) {
        const target = TARGETS[at % TARGETS.length]!;
        attacker.send(head(target, scene.key).repeat(REQUESTS[at % REQUESTS.length]!));
      }
      const begunMs = performance.now();
      await until(() => {
        cutAfterMs = performance.now() - begunMs;
        return scene.descriptors <= descriptorsBefore + POOLS || cutAfterMs > CLOSED_WITHIN_MS;
      });
      closeAll(attackers);
    });
    expect(cutAfterMs).toBeGreaterThan(4_000);
    expect(cutAfterMs).toBeLessThan(CLOSED_WITHIN_MS);
    expect(descriptors).toBeLessThanOrEqual(descriptorsBefore + REQUESTS.length * CONNECTIONS + 2 * POOLS);
    const answers = () => reader.received.split('HTTP/1.1 200 OK').slice(1);
    const areComplete = (all: string[]) =>
      all.length === REQUESTS[0] && all.every(({ length }) => length === all[0]!.length);
    // A busy machine can also be quiet in the middle.
    await until(() => reader.isClosed || (reader.isQuiet && areComplete(answers())));
    expect(areComplete(answers())).toBe(true);
    expect(performance.now() - beganMs).toBeGreaterThan(8_000);
    reader.close();
  });

  (isInstalled ? it : it.skip)(
    'and idle or slow ones (slowhttptest) do not affect other callers',
    async () => {
      const slowReads = ['-X', '-k', '3', '-n', '2', '-z', '32', '-u'];
      const modes = [
        ['-H', '-i', '1', '-u', `${scene.url}/v1/pets`],
        ['-B', '-i', '1', '-s', '8192', '-f', 'application/json', '-u', `${scene.url}/v1/pets`],
        [...slowReads, `${scene.url}/openapi.json`],
        [...slowReads, `${scene.url}/docs/swagger-ui-bundle.js`],
      ];
      await scene.attack({ grewMb: 150 }, async () => {
        const idle = await Attacker.openMany(scene.url, IDLE);
        const children = modes.map((mode) => spawn(command, [...sizes, ...mode], { stdio: 'ignore' }));
        const codes = await Promise.all(children.map((child) => once(child, 'exit')));
        expect(codes).toEqual(modes.map(() => [0, null]));
        await until(() => idle.every(({ isClosed }) => isClosed));
        expect(idle.filter(({ received }) => !received.startsWith('HTTP/1.1 408 '))).toEqual([]);
      });
    },
  );
});

// JSON escapes each character as six, so that the 32 pages of a connection exceed the 4 MB that the kernel takes.
const largest = { pets: 100, petName: '\u0001'.repeat(255) };
const READERS = 40;

describeHostile('large pages that are not read', largest, (scene) => {
  it('are bounded together: connections are closed before 40 s', async () => {
    await scene.attack({ grewMb: 250 }, async () => {
      const descriptorsBefore = scene.descriptors;
      const startedMs = performance.now();
      const attackers: Attacker[] = [];
      while (attackers.length < READERS) {
        const attacker = await Attacker.open(scene.url, 0);
        attackers.push(attacker);
        attacker.send(head(TARGETS[2]!, scene.key).repeat(REQUESTS[0]!));
        // Requests of one key are answered in their order.
        await call(scene.url, { path: '/v1/pets?limit=1', key: scene.key });
      }
      await until(() => scene.descriptors < descriptorsBefore + READERS / 2);
      expect(performance.now() - startedMs).toBeLessThan(30_000);
      closeAll(attackers);
    });
  });
});

describeHostile('a service without free descriptors', options, (scene) => {
  it('answers 503, serves its pages, and recovers', async () => {
    const attacker = await Attacker.open(scene.url);
    await scene.attack({ mayFail: '503' }, async () => {
      // All lower descriptors are in use, so that a closed one cannot be opened again.
      scene.limitDescriptors(3);
      await onDatabase(scene.database, `select pg_terminate_backend(pid) ${OF_SERVICE}`);
      // Sessions end some time after the call.
      await until(async () => (await onDatabase(scene.database, `select ${OF_SERVICE}`)).length === 0);
      for (const [at, target] of TARGETS.entries()) {
        attacker.send(head(target, scene.key));
        await attacker.untilAnswers(at + 1);
      }
      scene.limitDescriptors(10_000);
      await until(() => isServing(scene.url));
    });
    attacker.close();
    expect(attacker.statuses).toEqual([200, 200, 503]);
    await scene.attack({}, async () => {
      const caller = await Attacker.open(scene.url);
      caller.send(head('/v1/pets', scene.key));
      await caller.untilAnswers(1);
      expect(caller.statuses).toEqual([200]);
      caller.close();
    });
  });
});
