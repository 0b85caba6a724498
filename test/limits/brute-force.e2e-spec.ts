import { request } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { call } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { issueKeys, untilKeyChangesAreRead } from '../support/keys.js';
import { untilMinuteHasRoom } from '../support/until.js';
import { cleanUp, Service } from '../support/service.js';

const GUESSES = 12;

describe('guessed keys', () => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
    service = await Service.start({ ...database.env, ANONYMOUS_PER_MINUTE: String(GUESSES) });
  });
  afterAll(cleanUp);

  it('are counted per address and refused with 429 over the limit', async () => {
    const [revoked, valid] = await Promise.all([
      issueKeys(database, 1, { revoked: true }),
      issueKeys(database, 1, { plan: 'free' }),
    ]);
    const guesses = [revoked[0]!.key, 'nonsense', `${generateApiKey()}x`, '', valid[0]!.key.toLowerCase()];
    while (guesses.length < GUESSES) guesses.push(generateApiKey());
    await untilKeyChangesAreRead(service);
    await untilMinuteHasRoom();
    for (const [at, key] of guesses.entries()) {
      // Forwarding headers are ignored without a trusted proxy.
      const headers = { 'x-forwarded-for': `192.0.2.${at}`, forwarded: `for=192.0.2.${at}` };
      const answer = await call(service.url, { path: '/v1/pets', key, headers });
      expectError(answer, 'invalid_api_key');
      expect(answer.headers['x-ratelimit-remaining']).toBe(String(GUESSES - 1 - at));
    }
    const keys = [generateApiKey(), revoked[0]!.key, 'nonsense', undefined];
    const others = [{ path: '/nowhere' }, { path: '/v1/rate-limit', key: 'ask_nobody' }];
    for (const options of [...keys.map((key) => ({ path: '/v1/pets', key })), ...others]) {
      const answer = await call(service.url, options);
      expectError(answer, 'rate_limit_exceeded');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    // A valid key from the same address still works, and so does a request from another address.
    const served = await call(service.url, { path: '/v1/pets', key: valid[0]!.key });
    expect([served.status, served.headers['x-ratelimit-remaining']]).toEqual([200, '59']);
    expect(await statusFrom('127.0.0.2')).toBe(401);
  });

  /** A guess from another address of this machine. */
  async function statusFrom(localAddress: string): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${generateApiKey()}` };
    const outgoing = request(`${service.url}/v1/pets`, { localAddress, headers, agent: false }).end();
    const [incoming] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage];
    incoming.resume();
    return incoming.statusCode;
  }
});
