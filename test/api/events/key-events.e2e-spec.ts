import { beforeAll, expect, it } from '@jest/globals';
import { Feed } from '../../support/feed.js';
import { describeOnServers } from '../../support/servers/redis.js';
import { distWith } from '../../support/short-durations.js';
import { ownService, Service } from '../../support/service.js';
import { Store, storeOf } from '../../support/store.js';
import { atOnce, untilMinuteHasRoom } from '../../support/until.js';

const LIMIT = 20;
/** More refusals than that ban a key. */
const REFUSALS = 10 * LIMIT;

describeOnServers('the events of keys on two replicas', (kind, redisKind) => {
  let env: Record<string, string>;
  const dist = () => distWith({ closeWithinMs: 10_000, taskPauseMs: 20 });
  const service = ownService(kind, async () => (env = (await redisKind.create()).env), dist);
  const admin = storeOf(service, { plan: 'business', access: 'admin' });
  const other = storeOf(service, { plan: 'business', access: 'manage' });
  let replica: Service;
  beforeAll(async () => {
    replica = await Service.start({ ...service.database.env, ...env }, dist());
  });

  it('tell once of 80 and 100 % of a day and of a ban, to the key and to admin only', async () => {
    const limits = ['--per-minute', String(LIMIT), '--per-day', String(LIMIT)];
    const created = await service.keys(
      'create',
      '--name',
      'busy',
      '--plan',
      'enterprise',
      ...limits,
      '--json',
    );
    const busy = JSON.parse(created.stdout) as { id: string; key: string };
    const [feed, strange] = await Promise.all([admin, other].map((store) => new Feed(store).toEnd()));
    await untilMinuteHasRoom();

    const calls = [service, replica].map(({ url }) => new Store(url, busy.key));
    await atOnce(LIMIT, (index) => calls[index % 2]!.list('limit=1'));
    await atOnce(REFUSALS + 1, (index) => calls[index % 2]!.list('limit=1'));
    const last = await other.create('Last', 1);

    const ofKey = { keyId: busy.id };
    const events = await feed!.take(({ type }) => type === 'key.banned');
    const quotas = events.filter(({ type }) => type === 'key.quota_reached');
    const quota = (percent: bigint) => ({
      ...ofKey,
      percent,
      limit: BigInt(LIMIT),
      date: expect.any(String),
    });
    expect(quotas.map(({ data }) => data).sort((a, b) => Number(a.percent) - Number(b.percent))).toEqual([
      expect.objectContaining(quota(80n)),
      expect.objectContaining({ ...quota(100n), used: BigInt(LIMIT) }),
    ]);
    const [ban] = events.filter(({ type }) => type === 'key.banned');
    expect(ban).toMatchObject({ actor: 'service', data: ofKey });
    expect(Date.parse(String(ban!.data.until))).toBeGreaterThan(Date.now());
    // A later round of both replicas writes none of them again.
    expect((await strange!.take(({ data }) => data.id === last.id)).map(({ type }) => type)).toEqual([
      'pet.created',
    ]);
    const end = await other.create('End', 1);
    const later = await feed!.take(({ data }) => data.id === end.id);
    expect(later.filter(({ type }) => type.startsWith('key.'))).toEqual([]);
  });
});
