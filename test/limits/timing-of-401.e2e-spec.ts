import { Agent } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { anyKind } from '../support/databases.js';
import { callUnchecked } from '../support/http/client.js';
import { issueKeys } from '../support/keys.js';
import { sharedService } from '../support/service.js';

const SAMPLES = 300;
/**
 * The largest distance from even odds of telling which refusal is slower. Chance alone reaches 0.07 about once in 300 runs
 * of this many samples; one more database query reaches 0.4.
 */
const MOST_ADVANTAGE = 0.15;

describe('the response time of a 401', () => {
  const service = sharedService(anyKind);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  afterAll(() => agent.destroy());

  async function millisecondsToRefuse(key: string): Promise<number> {
    const begun = performance.now();
    const { status } = await callUnchecked(service.url, { path: '/v1/pets', key }, agent);
    const taken = performance.now() - begun;
    expect(status).toBe(401);
    return taken;
  }

  /** Alternates between both, so that other load on the machine affects both alike. */
  async function advantageOf(ones: string[], others: string[]): Promise<number> {
    const times: { isOne: boolean; taken: number }[] = [];
    for (const [at, one] of ones.entries()) {
      const pair = [
        { isOne: true, key: one },
        { isOne: false, key: others[at]! },
      ];
      for (const { isOne, key } of at % 2 === 0 ? pair : pair.reverse())
        times.push({ isOne, taken: await millisecondsToRefuse(key) });
    }
    return Math.abs(oddsThatOneIsSlower(times) - 0.5);
  }

  it('does not distinguish a revoked key from an unknown one', async () => {
    const revoked = (await issueKeys(service, SAMPLES, { revoked: true })).map(({ key }) => key);
    const unknown = Array.from({ length: SAMPLES }, generateApiKey);
    // The first requests after a start are slower, and are not measured.
    for (let round = 0; round < 200; round += 1) await millisecondsToRefuse(generateApiKey());
    // Each key for the first time: the service queries the database.
    const advantage = await advantageOf(revoked, unknown);
    expect(advantage).toBeLessThan(MOST_ADVANTAGE);
    // The same key repeatedly: the service answers from its cache.
    const again = (key: string) => Array<string>(SAMPLES / 2).fill(key);
    expect(await advantageOf(again(revoked[0]!), again(unknown[0]!))).toBeLessThan(MOST_ADVANTAGE);
  });
});

/** Mann-Whitney U as a share of all pairs: 0.5 if both come from one distribution, whatever its shape. */
function oddsThatOneIsSlower(times: { isOne: boolean; taken: number }[]): number {
  const sorted = [...times].sort((a, b) => a.taken - b.taken);
  let others = 0;
  let fasterOthers = 0;
  for (const { isOne } of sorted) {
    if (isOne) fasterOthers += others;
    else others += 1;
  }
  return fasterOthers / (others * (times.length - others));
}
