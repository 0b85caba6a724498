import { beforeAll, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/keys/secrets/api-key-format.js';
import { StatementTap } from '../../support/servers/statement-tap.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { until } from '../../support/until.js';
import { Attacker, closeAll, head, isServing, untilQuiet } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

const EVERY_STATEMENT = '[^\\0]*';
const DELAY_MS = 100;

let proxy: TcpProxy;
let tap: StatementTap;
const options = {
  /** A database that a test slows down, and whose statements it counts. */
  async databaseUrl(url: string) {
    proxy = await TcpProxy.before(url);
    tap = await StatementTap.before(proxy.url);
    return tap.url;
  },
};

describeHostile('a slow database', options, (scene) => {
  beforeAll(() => proxy.restore());

  it('gets one query for all probes of readiness that arrive meanwhile', async () => {
    const attackers = await Attacker.openMany(scene.url, 100);
    const before = tap.count(EVERY_STATEMENT);
    proxy.holdAnswers();
    for (const attacker of attackers) attacker.send(head('/health/ready'));
    await until(() => attackers.every(({ sentBytes }) => sentBytes > 0));
    await isServing(scene.url);
    proxy.thaw();
    await Promise.all(attackers.map((attacker) => attacker.untilAnswers(1)));
    for (const { statuses } of attackers) expect(statuses).toEqual([200]);
    // The service itself runs statements, such as the reading of key events.
    expect(tap.count(EVERY_STATEMENT) - before).toBeLessThan(10);
    closeAll(attackers);
  });

  it('delays no known key because of unknown ones', async () => {
    await scene.attack(async () => {
      proxy.delay(DELAY_MS);
      const begunMs = performance.now();
      const statuses = new Set<number>();
      const guess = async (attacker: Attacker) => {
        for (let guesses = 1; guesses <= 5 && !attacker.isClosed; guesses += 1) {
          attacker.send(head('/v1/pets', generateApiKey()));
          await until(() => attacker.isClosed || attacker.statuses.length >= guesses);
        }
        for (const status of attacker.statuses) statuses.add(status);
      };
      const attackers = await Attacker.openMany(scene.url, 200);
      await Promise.all(attackers.map(guess));
      expect(performance.now() - begunMs).toBeGreaterThan(2 * DELAY_MS);
      expect([...statuses].filter((status) => status !== 401 && status !== 503)).toEqual([]);
      proxy.delay(0);
      closeAll(attackers);
    });
  });

  it('survives one-byte chunks that wait for a key look-up', async () => {
    // The honest caller's list needs the database too.
    await scene.attack(async () => {
      proxy.freeze();
      const attackers = await Attacker.openMany(scene.url, 100);
      const lines = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
      for (const attacker of attackers)
        attacker.send(head('/v1/pets', generateApiKey(), lines, 'POST') + '1\r\n \r\n'.repeat(60_000));
      await isServing(scene.url);
      await untilQuiet(attackers);
      proxy.restore();
      closeAll(attackers);
    }, '503');
  });
});
