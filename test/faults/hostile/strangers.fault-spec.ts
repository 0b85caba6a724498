import { afterAll, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { until } from '../../support/until.js';
import { Attacker, closeAll, head } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

/** Sends guesses one after another on each connection, until all are answered. */
async function guess(url: string, connections: number, each: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const lane = async () => {
    const attacker = await Attacker.open(url);
    for (let at = 1; at <= each && !attacker.isClosed; at += 1) {
      attacker.send(head('/v1/pets', generateApiKey()));
      await until(() => attacker.isClosed || attacker.statuses.length >= at);
    }
    for (const status of attacker.statuses) statuses[status] = (statuses[status] ?? 0) + 1;
    closeAll([attacker]);
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return statuses;
}

let proxy: TcpProxy;

describeHostile(
  'unknown keys',
  async (scene) => {
    proxy = await TcpProxy.before(scene.database.env.DATABASE_URL!);
    await scene.start({}, proxy.url);
    await scene.insertPets(20, 'Rex');
  },
  (scene) => {
    afterAll(() => proxy.close());

    it('do not delay known keys while the database is slow', async () => {
      const impact = await scene.measureAttack(
        '200 connections with unknown keys, a database 200 ms away',
        async () => {
          proxy.delay(100);
          const statuses = await guess(scene.url, 200, 5);
          proxy.delay(0);
          expect(Object.keys(statuses).filter((status) => !['401', '503'].includes(status))).toEqual([]);
        },
      );
      scene.expectServed(impact);
    });
  },
);
