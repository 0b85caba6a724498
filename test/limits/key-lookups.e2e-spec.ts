import { expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { describeOnServer } from '../support/databases.js';
import { ownService } from '../support/service.js';
import { StoppedClock } from '../support/stopped-clock.js';
import { StatementTap } from '../support/servers/statement-tap.js';

describeOnServer('the look-up of a key in the database', (kind) => {
  // The minute of the address does not end while guesses are sent.
  const clock = new StoppedClock();
  let tap: StatementTap;
  const service = ownService(kind, async ({ DATABASE_URL }) => {
    tap = await StatementTap.before(DATABASE_URL!);
    return { ...clock.env, DATABASE_URL: tap.url, ANONYMOUS_PER_MINUTE: '40' };
  });

  /** Sends requests with these keys at the same time. Returns their statuses and the number of look-ups. */
  async function send(keys: (string | undefined)[]): Promise<{ statuses: number[]; lookups: number }> {
    const before = tap.count('find-caller');
    const answers = await Promise.all(keys.map((key) => service.call({ path: '/v1/pets', key })));
    const statuses = [...new Set(answers.map(({ status }) => status))];
    return { statuses, lookups: tap.count('find-caller') - before };
  }

  it('happens once for all requests with a well-formed key, and shares statements, also for an exhausted address', async () => {
    const badChecksum = `${generateApiKey().slice(0, -6)}000000`;
    const malformed = [undefined, 'nonsense', badChecksum];
    expect(await send(malformed)).toEqual({ statuses: [401], lookups: 0 });
    const unknown = generateApiKey();
    expect(await send(Array<string>(10).fill(unknown))).toEqual({ statuses: [401], lookups: 1 });

    // The same once the address has used up its minute.
    while ((await send([undefined])).statuses[0] === 401);
    expect(await send(malformed)).toEqual({ statuses: [429], lookups: 0 });
    const guesses = Array.from({ length: 200 }, generateApiKey);
    const { statuses, lookups } = await send(guesses);
    expect(statuses).toEqual([429]);
    expect(lookups).toBeLessThan(guesses.length);

    const valid = await service.issueKey();
    expect(await send(Array<string>(10).fill(valid))).toEqual({ statuses: [200], lookups: 1 });
  });
});
