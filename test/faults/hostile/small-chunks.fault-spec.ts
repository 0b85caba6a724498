import { afterAll, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/keys/api-key-format.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { Attacker, closeAll, head, untilQuiet } from './support/attacker.js';
import { describeHostile, type Scene } from './support/scene.js';

const CONNECTIONS = 100;
const ONE_BYTE_CHUNKS = Buffer.from('1\r\n \r\n'.repeat(2_000));
const BLOCKS = 30;
const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

let proxy: TcpProxy;
const start = async (scene: Scene) => {
  proxy = await TcpProxy.before(scene.database.env.DATABASE_URL!);
  await scene.start({}, proxy.url);
};

describeHostile('request bodies', start, (scene) => {
  afterAll(() => proxy.close());

  /** Every connection sends up to 60,000 chunks of one byte. */
  async function sendChunks(headOf: () => string): Promise<Attacker[]> {
    const attackers = await Attacker.openMany(scene.url, CONNECTIONS);
    for (const attacker of attackers) {
      attacker.send(headOf());
      attacker.send(ONE_BYTE_CHUNKS, BLOCKS);
    }
    await untilQuiet(attackers);
    return attackers;
  }

  it.each([
    ['callers without a key', () => undefined],
    ['a caller with a key', () => scene.key],
    ['unknown keys', () => generateApiKey()],
  ])('in one-byte chunks from %s use little memory', async (who, key) => {
    let attackers: Attacker[] = [];
    const impact = await scene.measureAttack(`one-byte chunks from ${who}`, async () => {
      attackers = await sendChunks(() => head('/v1/pets', key(), CHUNKED, 'POST'));
    });
    closeAll(attackers);
    scene.expectServed(impact);
    expect(impact.grewMb).toBeLessThanOrEqual(60);
  });

  it('in one-byte chunks use little memory during a slow key look-up', async () => {
    let attackers: Attacker[] = [];
    const impact = await scene.measureAttack(
      'one-byte chunks while the database does not answer',
      async () => {
        proxy.freeze();
        attackers = await sendChunks(() => head('/v1/pets', generateApiKey(), CHUNKED, 'POST'));
        proxy.restore();
      },
    );
    closeAll(attackers);
    // The honest caller's list needs the database too.
    expect(impact.failed.filter((outcome) => outcome !== '503')).toEqual([]);
    expect(scene.service.isAlive).toBe(true);
    expect(impact.grewMb).toBeLessThanOrEqual(60);
  });

  it.each([
    ['callers without a key', () => undefined],
    ['a caller with a key', () => scene.key],
  ])('left unfinished on 4,000 connections of %s use little memory', async (who, key) => {
    const unfinished = head(
      '/v1/pets',
      key(),
      'Content-Type: application/json\r\nContent-Length: 65536\r\n',
      'POST',
    );
    const attackers: Attacker[] = [];
    const impact = await scene.measureAttack(`4,000 connections of ${who} with 65 KB each`, async () => {
      for (let batch = 0; batch < 20; batch += 1) {
        const opened = await Attacker.openMany(scene.url, 200);
        for (const attacker of opened) attacker.send(unfinished + ' '.repeat(65_000));
        attackers.push(...opened);
      }
      await untilQuiet(attackers);
    });
    closeAll(attackers);
    scene.expectServed(impact);
    expect(impact.grewMb).toBeLessThanOrEqual(200);
  });
});
