import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { putLoadFromOutside, statusesOf } from '../../support/http/load.js';
import { until } from '../../support/until.js';
import { Attacker, closeAll, head, untilQuiet } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED = `${JSON_TYPE}Transfer-Encoding: chunked\r\n`;
const PET = '{"name":"Rex","categoryId":7}';
const IDLE = 2_000;
const [command, ...sizes] = 'slowhttptest -c 1000 -r 300 -l 15'.split(' ') as [string, ...string[]];
const isInstalled = spawnSync(command, ['-h']).error === undefined;

describeHostile('connections', {}, (scene) => {
  it('left half-open by 500 callers hold no descriptor', async () => {
    const halves = [
      '',
      'GET /v1/pets HTTP/1.1\r\n',
      head('/v1/pets', scene.key, `${JSON_TYPE}Content-Length: 100\r\n`, 'POST') + PET,
      head('/v1/pets', undefined, CHUNKED, 'POST') + '5\r\n{"na',
      head('/v1/pets', scene.key),
    ];
    const descriptorsBefore = scene.service.descriptors;
    await scene.attack({}, async () => {
      const attackers = await Attacker.openMany(scene.url, 500);
      for (const [at, attacker] of attackers.entries()) {
        attacker.send(halves[at % halves.length]!);
        attacker.endSending();
      }
      await untilQuiet(attackers);
      await until(() => scene.service.descriptors <= descriptorsBefore + 15);
      closeAll(attackers);
    });
  });

  it.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/health/ready', '/health/live'])(
    'that request %s, 200 at once, delay no other caller',
    async (path) => {
      await scene.attack({ grewMb: 250 }, async () => {
        const load = { path, connections: 200, forMs: 2_000 };
        const { samples, hanging } = await putLoadFromOutside(scene.url, load);
        expect(hanging).toBe(0);
        expect(Object.keys(statusesOf(samples))).toEqual(['200']);
      });
    },
  );

  it.each([
    ['one with 5,000', 1, 5_000, true, { grewMb: 50, withinMs: 500 }],
    ['100 with 2,000 each, with a key', 100, 2_000, true, { grewMb: 250 }],
    ['100 with 2,000 each, without a key', 100, 2_000, false, { grewMb: 250 }],
  ])('that pipeline requests (%s) get responses in order', async (_what, count, requests, hasKey, limits) => {
    const key = hasKey ? scene.key : undefined;
    const numbers = Array.from({ length: requests }, (_, at) => String(at));
    const block = numbers.map((at) => head('/v1/pets', key, `X-Request-Id: ${at}\r\n`)).join('');
    let attackers: Attacker[] = [];
    await scene.attack(limits, async () => {
      attackers = await Attacker.openMany(scene.url, count);
      for (const attacker of attackers) attacker.send(block);
      await untilQuiet(attackers);
    });
    // Until the service closes the connection.
    for (const { requestIds } of attackers) expect(requestIds).toEqual(numbers.slice(0, requestIds.length));
    closeAll(attackers);
  });

  it.each([
    ['callers without a key', () => undefined],
    ['a caller with a key', () => scene.key],
    ['unknown keys', () => generateApiKey()],
  ])('with one-byte chunks from %s use little memory', async (_who, key) => {
    await scene.attack({ grewMb: 60 }, () =>
      scene.sendOneByteChunks(() => head('/v1/pets', key(), CHUNKED, 'POST')),
    );
  });

  it.each([
    ['callers without a key', () => undefined],
    ['a caller with a key', () => scene.key],
  ])('left in a body by 4,000 clients (%s) use little memory', async (_who, key) => {
    const unfinished = head('/v1/pets', key(), `${JSON_TYPE}Content-Length: 65536\r\n`, 'POST');
    const attackers: Attacker[] = [];
    await scene.attack({ grewMb: 200 }, async () => {
      for (let batch = 0; batch < 20; batch += 1) {
        const opened = await Attacker.openMany(scene.url, 200);
        for (const attacker of opened) attacker.send(unfinished + ' '.repeat(65_000));
        attackers.push(...opened);
      }
      await untilQuiet(attackers);
    });
    closeAll(attackers);
  });

  (isInstalled ? it : it.skip)(
    'that are idle or slow (slowhttptest) do not affect other callers',
    async () => {
      const slowReads = ['-X', '-k', '3', '-n', '2', '-z', '32', '-u'];
      const modes = [
        ['-H', '-i', '2', '-u', `${scene.url}/v1/pets`],
        ['-B', '-i', '2', '-s', '8192', '-f', 'application/json', '-u', `${scene.url}/v1/pets`],
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
