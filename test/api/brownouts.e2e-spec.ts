import { describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { expectError } from '../support/http/expect-error.js';
import { ownService } from '../support/service.js';
import { storeOf } from '../support/store.js';

const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
const ended = [Date.now() - 2 * HOUR_MS, Date.now() - HOUR_MS].map(at);
const running = [Date.now() - HOUR_MS, Date.now() + HOUR_MS].map(at);

describe('a brownout of deprecated operations', () => {
  const service = ownService(anyKind, { SUNSET_BROWNOUTS: `${ended.join('/')},${running.join('/')}` });
  const store = storeOf(service);

  it('answers 410 within an interval, says until when, and leaves other operations alone', async () => {
    const { id } = await store.create('Rex', 1);
    const answer = await store.get(`/v1/pets/${id}`);
    const message = expectError(answer, 'endpoint_removed');
    expect(message).toContain(`away until ${new Date(running[1]!).toISOString()}`);
    expect(message).toContain('GET /pets?');
    expect(answer.headers.sunset).toBeDefined();
    expect((await store.list(`ids=${id}`)).status).toBe(200);
  });
});

describe('a brownout that has ended or not begun', () => {
  const later = [Date.now() + HOUR_MS, Date.now() + 2 * HOUR_MS].map(at);
  const service = ownService(anyKind, { SUNSET_BROWNOUTS: `${ended.join('/')},${later.join('/')}` });
  const store = storeOf(service);

  it('changes nothing', async () => {
    const { id } = await store.create('Rex', 1);
    expect((await store.get(`/v1/pets/${id}`)).status).toBe(200);
  });
});
