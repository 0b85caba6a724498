import { expect, it } from '@jest/globals';
import { Attacker, closeAll, head, untilQuiet } from './support/attacker.js';
import { describeHostile, type Scene } from './support/scene.js';

const start = async (scene: Scene) => {
  await scene.start();
  await scene.insertPets(20, 'Rex');
};

describeHostile('pipelined requests', start, (scene) => {
  const numbered = (count: number, key?: string) =>
    Array.from({ length: count }, (_, at) => head('/v1/pets', key, `X-Request-Id: ${at}\r\n`)).join('');
  const ids = (count: number) => Array.from({ length: count }, (_, at) => String(at));

  it('on one connection, 5,000 at once, delay no other caller', async () => {
    const requests = numbered(5_000, scene.key);
    let attacker!: Attacker;
    const impact = await scene.measureAttack('5,000 pipelined on one connection', async () => {
      attacker = await Attacker.open(scene.url);
      attacker.send(requests);
      await untilQuiet([attacker]);
    });
    // The responses are in order, until the service closes the connection.
    expect(attacker.requestIds).toEqual(ids(attacker.statuses.length));
    scene.expectServed(impact, 500);
    expect(impact.grewMb).toBeLessThanOrEqual(50);
    attacker.close();
  });

  it.each([
    ['callers with a key', true],
    ['callers without a key', false],
  ])('on 100 connections, 2,000 each, by %s, do not crash the service', async (who, hasKey) => {
    const requests = Buffer.from(numbered(2_000, hasKey ? scene.key : undefined));
    let attackers: Attacker[] = [];
    const impact = await scene.measureAttack(
      `100 connections with 2,000 pipelined each, ${who}`,
      async () => {
        attackers = await Attacker.openMany(scene.url, 100);
        for (const attacker of attackers) attacker.send(requests);
        await untilQuiet(attackers);
      },
    );
    for (const { requestIds } of attackers) expect(requestIds).toEqual(ids(requestIds.length));
    closeAll(attackers);
    scene.expectServed(impact);
    expect(impact.grewMb).toBeLessThanOrEqual(250);
  });
});
