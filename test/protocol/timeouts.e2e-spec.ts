import { describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { CHUNKED, exchangeRaw, get, LENGTH, post } from '../support/http/raw.js';
import { ownService } from '../support/service.js';
import { distWithShortTimeouts } from '../support/short-durations.js';
import { storeOf } from '../support/store.js';

describe('a request that does not arrive in time', () => {
  const service = ownService(anyKind, {}, distWithShortTimeouts);
  const store = storeOf(service);

  /** Sends the text and nothing more. Resolves when the service has closed the connection. */
  async function abandon(text: string, key = store.key) {
    const startedAtMs = performance.now();
    const answers = await exchangeRaw(service.url, text, key);
    return { answers, afterMs: performance.now() - startedAtMs };
  }

  it('has 10 seconds for its headers and 30 in total, checked every 5', () => {
    expect(service.stderr).toContain('timeouts 10000 30000 5000\n');
  });

  it('gets 408 after its timeout (a tenth in this test)', async () => {
    const half = '{"name":"R';
    const [nothing, headers, secondHeaders, body, chunks, withoutKey] = await Promise.all([
      abandon(''),
      abandon('GET /v1/pets HTTP/1.1\r\nHost: a\r\n'),
      abandon(`${get('KEY')}GET /v1/pets HTTP/1.1\r\n`),
      abandon(post(LENGTH, half)),
      abandon(post(CHUNKED, `1d\r\n${half}`)),
      abandon(post(LENGTH, half), ''),
    ]);
    for (const { answers, afterMs } of [nothing, headers, secondHeaders]) {
      expectError(answers.at(-1)!, 'request_timeout');
      expect(afterMs).toBeGreaterThanOrEqual(990);
      expect(afterMs).toBeLessThan(2_900);
    }
    expect(secondHeaders.answers.map(({ status }) => status)).toEqual([200, 408]);
    for (const { answers, afterMs } of [body, chunks]) {
      expectError(answers[0]!, 'request_timeout');
      expect(answers.map(({ status }) => status)).toEqual([408]);
      expect(afterMs).toBeGreaterThanOrEqual(2_990);
    }
    // A caller without a key is answered before its body is read.
    expect(withoutKey.answers[0]?.status).toBe(401);
    expect((await service.call({ path: '/health/live' })).status).toBe(200);
  });
});
