import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { anyKind } from '../support/databases.js';
import { requestsLeft } from '../support/http/client.js';
import { expectError } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';
import { atOnce, untilDayHasRoom, untilMinuteHasRoom } from '../support/until.js';

describe('what an administrator sees of the limits of a key', () => {
  const service = sharedService(anyKind);
  const admin = storeOf(service, { access: 'admin' });
  const limitsOf = (id: string) => admin.get(`/v1/keys/${id}/rate-limit`);
  const ownLimits = (key: string) => service.call({ path: '/v1/rate-limit', key });

  it('is what the key sees itself; it charges that key nothing, and counts for the caller', async () => {
    const { id, key } = await service.issue({ plan: 'free', access: 'read' });
    const caller = await service.issue({ plan: 'pro', access: 'admin' });
    await Promise.all([untilMinuteHasRoom(), untilDayHasRoom()]);
    await service.call({ path: '/v1/pets', key });
    for (let left = 299; left > 296; left -= 1) {
      const answer = await service.call({ path: `/v1/keys/${id}/rate-limit`, key: caller.key });
      expect([answer.status, requestsLeft(answer)]).toEqual([200, left]);
      expect(answer.body).toEqual((await ownLimits(key)).body);
      expect(answer.body).toMatchObject({ plan: 'free', windows: [{ remaining: 59n }, { remaining: 999n }] });
    }
  });

  it('answers while the key is banned, revoked or expired, and for the caller itself', async () => {
    const { id, key } = await service.issue({ perMinute: 1, perDay: 9 });
    await untilMinuteHasRoom();
    await atOnce(12, () => service.call({ path: '/v1/pets', key }));
    expect((await limitsOf(id)).body).toMatchObject({
      windows: [{ remaining: 0n }, { remaining: 8n }],
      bannedUntil: expect.stringMatching(/Z$/),
    });
    for (const ended of [{ revoked: true }, { expiresInMs: -1 }]) {
      const { id: endedId } = await service.issue({ plan: 'pro', ...ended });
      expect((await limitsOf(endedId)).body).toMatchObject({ plan: 'pro', key: { id: endedId } });
    }
    expect((await limitsOf('me')).body).toMatchObject({ key: { id: admin.id } });
  });

  it('is for administrators only, and of known keys', async () => {
    const { id, key } = await service.issue({ access: 'manage' });
    for (const own of [id, 'me'])
      expectError(await service.call({ path: `/v1/keys/${own}/rate-limit`, key }), 'insufficient_access');
    for (const unknown of [randomUUID(), 'nonsense']) expectError(await limitsOf(unknown), 'key_not_found');
  });
});
