import { Agent } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { anyKind } from '../support/databases.js';
import { callUnchecked, requestsLeft } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { ownService } from '../support/service.js';
import { untilMinuteHasRoom } from '../support/until.js';

const GUESSES = 12;

describe('guessed keys', () => {
  const service = ownService(anyKind, { ANONYMOUS_PER_MINUTE: String(GUESSES) });

  it('are counted per address and refused with 429 over the limit', async () => {
    const revoked = await service.issueKey({ revoked: true });
    const valid = await service.issueKey({ plan: 'free' });
    const guesses = [revoked, 'nonsense', `${generateApiKey()}x`, '', valid.toLowerCase()];
    while (guesses.length < GUESSES) guesses.push(generateApiKey());
    await untilMinuteHasRoom();
    for (const [at, key] of guesses.entries()) {
      // Forwarding headers are ignored without a trusted proxy.
      const headers = { 'x-forwarded-for': `192.0.2.${at}`, forwarded: `for=192.0.2.${at}` };
      const answer = await service.call({ path: '/v1/pets', key, headers });
      expectError(answer, 'invalid_api_key');
      expect(requestsLeft(answer)).toBe(GUESSES - 1 - at);
    }
    const keys = [generateApiKey(), revoked, 'nonsense', undefined];
    const others = [{ path: '/nowhere' }, { path: '/v1/rate-limit', key: 'ask_nobody' }];
    for (const options of [...keys.map((key) => ({ path: '/v1/pets', key })), ...others]) {
      const answer = await service.call(options);
      expectError(answer, 'rate_limit_exceeded');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    // A valid key from the same address still works, and a guess from another address of this machine gets 401.
    const served = await service.call({ path: '/v1/pets', key: valid });
    expect([served.status, requestsLeft(served)]).toEqual([200, 59]);
    const other = new Agent({ localAddress: '127.0.0.2' });
    expectError(await callUnchecked(service.url, { path: '/v1/pets' }, other), 'missing_api_key');
  });
});
