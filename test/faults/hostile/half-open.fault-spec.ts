import { it } from '@jest/globals';
import { Attacker, closeAll, head, untilQuiet } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

const JSON_TYPE = 'Content-Type: application/json\r\n';
const PET = '{"name":"Rex","categoryId":7}';

describeHostile(
  'requests',
  (scene) => scene.start(),
  (scene) => {
    it('left half-open by 500 connections holds no descriptor', async () => {
      const halves = [
        '',
        'GET /v1/pets HTTP/1.1\r\n',
        head('/v1/pets', scene.key, `${JSON_TYPE}Content-Length: 100\r\n`, 'POST') + PET,
        head('/v1/pets', undefined, `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, 'POST') + '5\r\n{"na',
        head('/v1/pets', scene.key),
      ];
      const descriptorsBefore = scene.service.descriptors;
      const impact = await scene.measureAttack('500 half-open connections', async () => {
        const attackers = await Attacker.openMany(scene.url, 500);
        for (const [at, attacker] of attackers.entries()) {
          attacker.send(halves[at % halves.length]!);
          attacker.endSending();
        }
        await untilQuiet(attackers);
        await scene.untilDescriptorsAtMost(descriptorsBefore + 15);
        closeAll(attackers);
      });
      scene.expectServed(impact);
    });
  },
);
