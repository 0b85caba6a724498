import { expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { percentileMs, putLoad, statusesOf } from '../../support/http/load.js';
import { until } from '../../support/until.js';
import { Attacker, closeAll, head, untilQuiet } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED = `${JSON_TYPE}Transfer-Encoding: chunked\r\n`;
const PET = '{"name":"Rex","categoryId":7}';
describeHostile('connections', {}, (scene) => {
  it('left half-open by 500 callers hold no descriptor', async () => {
    const halves = [
      '',
      'GET /v1/pets HTTP/1.1\r\n',
      head('/v1/pets', scene.key, `${JSON_TYPE}Content-Length: 100\r\n`, 'POST') + PET,
      head('/v1/pets', undefined, CHUNKED, 'POST') + '5\r\n{"na',
      head('/v1/pets', scene.key),
    ];
    const descriptorsBefore = scene.descriptors;
    await scene.attack({}, async () => {
      const attackers = await Attacker.openMany(scene.url, 500);
      for (const [at, attacker] of attackers.entries()) {
        attacker.send(halves[at % halves.length]!);
        attacker.endSending();
      }
      await untilQuiet(attackers);
      await until(() => scene.descriptors <= descriptorsBefore + 15);
      closeAll(attackers);
    });
  });

  it('that request open paths, 200 at once, delay no other caller', async () => {
    const paths = ['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/health/ready', '/health/live'];
    await scene.attack({ grewMb: 250 }, async () => {
      for (const path of paths) {
        const load = { path, connections: 200, forMs: 1_000 };
        const samples = await putLoad(scene.url, load);
        expect({ path, statuses: Object.keys(statusesOf(samples)) }).toEqual({ path, statuses: ['200'] });
        expect(percentileMs(samples, 1)).toBeLessThan(10_000);
      }
    });
  });

  it.each([
    ['one with 5,000', 1, 5_000, { grewMb: 50, withinMs: 500 }],
    ['100 with 2,000 each, half of them without a key', 100, 2_000, { grewMb: 250 }],
  ])('that pipeline requests (%s) get responses in order', async (_what, count, requests, limits) => {
    const numbers = Array.from({ length: requests }, (_, at) => String(at));
    const blocks = [scene.key, undefined].map((key) =>
      numbers.map((at) => head('/v1/pets', key, `X-Request-Id: ${at}\r\n`)).join(''),
    );
    let attackers: Attacker[] = [];
    await scene.attack(limits, async () => {
      attackers = await Attacker.openMany(scene.url, count);
      for (const [at, attacker] of attackers.entries()) attacker.send(blocks[at % 2]!);
      await untilQuiet(attackers);
    });
    // Until the service closes the connection.
    for (const { requestIds } of attackers) expect(requestIds).toEqual(numbers.slice(0, requestIds.length));
    closeAll(attackers);
  });

  it('with one-byte chunks use little memory', async () => {
    await scene.attack({ grewMb: 40 }, () =>
      scene.sendOneByteChunks([() => undefined, () => scene.key, generateApiKey]),
    );
  });

  it('left in a body by 4,000 clients with a key and 1,000 without use little memory', async () => {
    const unfinished = [scene.key, undefined].map(
      (key) => head('/v1/pets', key, `${JSON_TYPE}Content-Length: 65536\r\n`, 'POST') + ' '.repeat(65_000),
    );
    const attackers: Attacker[] = [];
    await scene.attack({ grewMb: 200 }, async () => {
      for (let batch = 0; batch < 20; batch += 1) {
        const opened = await Attacker.openMany(scene.url, 250);
        for (const [at, attacker] of opened.entries()) attacker.send(unfinished[at < 200 ? 0 : 1]!);
        attackers.push(...opened);
      }
      await untilQuiet(attackers);
    });
    closeAll(attackers);
  });
});
