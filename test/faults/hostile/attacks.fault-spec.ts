import { expect, it } from '@jest/globals';
import { onDatabase } from '../../support/databases.js';
import { distWithShortTimeouts } from '../../support/short-durations.js';
import { until } from '../../support/until.js';
import { residentMb } from '../../support/tools/resident-mb.js';
import { Attacker, closeAll, head, isServing, untilQuiet } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED = `${JSON_TYPE}Transfer-Encoding: chunked\r\n`;
const PET = '{"name":"Rex","categoryId":7}';
/** 32 MiB are so many bodies of 63 KB. */
const HELD_BODIES = 532;
/** What the manifests of deploy/ allow. */
const MANIFEST_MB = 512;
const LARGE_TARGETS = ['/docs/swagger-ui-bundle.js', '/openapi.json', '/v1/pets?limit=100'];

describeHostile('the service', {}, (scene) => {
  it('keeps no descriptor of 500 half-open connections', async () => {
    const halves = [
      '',
      'GET /v1/pets HTTP/1.1\r\n',
      head('/v1/pets', scene.key, `${JSON_TYPE}Content-Length: 100\r\n`, 'POST') + PET,
      head('/v1/pets', undefined, CHUNKED, 'POST') + '5\r\n{"na',
      head('/v1/pets', scene.key),
    ];
    const before = scene.descriptors;
    await scene.attack(async () => {
      const attackers = await Attacker.openMany(scene.url, 500);
      for (const [at, attacker] of attackers.entries()) {
        attacker.send(halves[at % halves.length]!);
        attacker.endSending();
      }
      await untilQuiet(attackers);
      await until(() => scene.descriptors <= before + 15);
      closeAll(attackers);
    });
  });

  it('answers in order until it closes 100 connections that pipeline 2,000 requests each', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, at) => String(at));
    const blocks = [scene.freeKey, undefined].map((key) =>
      numbers.map((at) => head('/v1/pets', key, `X-Request-Id: ${at}\r\n`)).join(''),
    );
    await scene.attack(async () => {
      const attackers = await Attacker.openMany(scene.url, 100);
      for (const [at, attacker] of attackers.entries()) attacker.send(blocks[at % 2]!);
      await untilQuiet(attackers);
      for (const { requestIds } of attackers) expect(requestIds).toEqual(numbers.slice(0, requestIds.length));
      closeAll(attackers);
    });
  });

  it('bounds what 8,000 bodies of 63 KB that do not end hold: most get 503', async () => {
    const unfinished =
      head('/v1/pets', scene.key, `${JSON_TYPE}Content-Length: 65536\r\n`, 'POST') + ' '.repeat(63_000);
    await scene.attack(async () => {
      const attackers = await Attacker.openMany(scene.url, 8_000);
      // A thousand at a time, because the callers of this test share the machine with the attackers.
      for (let sent = 1_000; sent <= attackers.length; sent += 1_000) {
        for (const attacker of attackers.slice(sent - 1_000, sent)) attacker.send(unfinished);
        const refused = () => attackers.filter(({ statuses }) => statuses[0] === 503).length;
        await until(() => refused() >= sent - HELD_BODIES);
      }
      // The bodies would be 504 MB. The connections have a cost of their own.
      expect(residentMb(scene.service.pid)).toBeLessThan(MANIFEST_MB);
      closeAll(attackers);
    });
  });
});

describeHostile(
  'behind a proxy, the service',
  { env: { TRUST_PROXY: '1', ANONYMOUS_PER_MINUTE: '5' } },
  (scene) => {
    it('survives requests from 10,000 addresses', async () => {
      await scene.attack(async () => {
        const attackers = await Attacker.openMany(scene.url, 20);
        for (let sent = 1; sent <= 500; sent += 1) {
          for (const [at, attacker] of attackers.entries())
            attacker.send(
              head('/v1/pets', undefined, `X-Forwarded-For: 10.${at}.${sent >> 8}.${sent & 255}\r\n`),
            );
          await Promise.all(attackers.map((attacker) => attacker.untilAnswers(sent)));
        }
        expect(new Set(attackers.flatMap(({ statuses }) => statuses))).toEqual(new Set([401]));
        closeAll(attackers);
      });
    });
  },
);

// A page of 100 animals has 100 KB, so that the responses exceed the kernel's buffers.
const large = { dist: distWithShortTimeouts, pets: 100, petName: '🐕'.repeat(255) };

describeHostile('with short timeouts, the service', large, (scene) => {
  it('closes connections that never read after 40 s (a tenth in this test)', async () => {
    expect(scene.service.stderr).toContain('silence 40000\n');
    const before = scene.descriptors;
    await scene.attack(async () => {
      const attackers = await Attacker.openMany(scene.url, 200, 0);
      for (const [at, attacker] of attackers.entries())
        attacker.send(head(LARGE_TARGETS[at % 3]!, scene.key).repeat(at % 2 === 0 ? 16 : 200));
      await until(() => scene.descriptors <= before + 15);
      closeAll(attackers);
    });
  });

  it('answers 408 to 2,000 connections that send nothing', async () => {
    await scene.attack(async () => {
      const idle = await Attacker.openMany(scene.url, 2_000);
      await until(() => idle.every(({ isClosed }) => isClosed));
      expect(idle.filter(({ received }) => !received.startsWith('HTTP/1.1 408 '))).toEqual([]);
    });
  });

  it('answers 503 without free descriptors, serves its pages, and recovers', async () => {
    const attacker = await Attacker.open(scene.url);
    const ofService = `from pg_stat_activity where datname = current_database() and application_name = 'animal-store'`;
    await scene.attack(async () => {
      // All lower descriptors are in use, so that a closed one cannot be opened again.
      scene.limitDescriptors(3);
      await onDatabase(scene.database, `select pg_terminate_backend(pid) ${ofService}`);
      // Sessions end some time after the call.
      await until(async () => (await onDatabase(scene.database, `select ${ofService}`)).length === 0);
      for (const [at, target] of LARGE_TARGETS.entries()) {
        attacker.send(head(target, scene.key));
        await attacker.untilAnswers(at + 1);
      }
      scene.limitDescriptors(10_000);
      await until(() => isServing(scene.url));
    }, '503');
    attacker.close();
    expect(attacker.statuses).toEqual([200, 200, 503]);
    await scene.attack(() => Promise.resolve());
  });
});
