import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { describeHostile } from './support/scene.js';

const FOR_SECONDS = '15';
const CONNECTIONS = '1000';
const isInstalled = spawnSync('slowhttptest', ['-h']).error === undefined;
const itWhereInstalled = isInstalled ? it : it.skip;

describeHostile(
  'slowhttptest',
  async (scene) => {
    await scene.start();
    await scene.insertPets(20, 'Rex');
  },
  (scene) => {
    itWhereInstalled.each([
      ['slow headers', ['-H', '-i', '2', '-u', '/v1/pets']],
      ['slow bodies', ['-B', '-i', '2', '-s', '8192', '-f', 'application/json', '-u', '/v1/pets']],
      ['slow reads of the document', ['-X', '-k', '3', '-n', '2', '-z', '32', '-u', '/openapi.json']],
      [
        'slow reads of a script',
        ['-X', '-k', '3', '-n', '2', '-z', '32', '-u', '/docs/swagger-ui-bundle.js'],
      ],
    ])('with %s does not affect other callers', async (mode, options) => {
      const args = [...options.slice(0, -1), `${scene.url}${options.at(-1)}`];
      const impact = await scene.measureAttack(`slowhttptest, ${mode}`, async () => {
        const child = spawn('slowhttptest', ['-c', CONNECTIONS, '-r', '300', '-l', FOR_SECONDS, ...args], {
          stdio: ['ignore', 'ignore', 'ignore'],
        });
        expect(await once(child, 'exit')).toEqual([0, null]);
      });
      scene.expectServed(impact);
      expect(impact.grewMb).toBeLessThanOrEqual(100);
    });
  },
);
