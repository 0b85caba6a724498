import { afterEach, describe, expect, it } from '@jest/globals';
import { dayLeft } from '../support/http/client.js';
import { cleanUp } from '../support/clean-up.js';
import { anyKind, databaseKinds, onDatabase, type DatabaseKind } from '../support/databases.js';
import { until, untilDayHasRoom } from '../support/until.js';
import { redisKinds, type RedisKind } from '../support/servers/redis.js';
import { Service } from '../support/service.js';
import { Requester } from './support/requester.js';

/** Longer than the allowed loss, so that some usage must have been written. */
const LOAD_MS = 13_000;
const SEND_EVERY_MS = 20;
const LOST_AT_MOST_MS = 10_000;
const PER_DAY = 1_000_000;

describe('recorded usage', () => {
  afterEach(cleanUp);

  it('is at most 10 s behind after a kill -9, and is the new count of the day', async () => {
    const [inMemory, shared] = redisKinds;
    const places = databaseKinds.map((kind) => expectRecorded(kind, inMemory!));
    if (shared) places.push(expectRecorded(anyKind, shared));
    await Promise.all(places);
  });

  async function expectRecorded(databaseKind: DatabaseKind, redisKind: RedisKind): Promise<void> {
    // All on one day.
    await untilDayHasRoom(120_000);
    const [database, redis] = [await databaseKind.create(), await redisKind.create()];
    const env = { ...database.env, ...redis.env };
    const service = await Service.start(env);
    const caller = new Requester(await service.issueKey({ perMinute: PER_DAY, perDay: PER_DAY }));
    const path = '/v1/pets?limit=1';
    const answeredAtMs: number[] = [];
    const begunAtMs = performance.now();
    while (performance.now() - begunAtMs < LOAD_MS) {
      const sentAtMs = performance.now();
      expect((await caller.send(service.url, { path })).status).toBe(200);
      answeredAtMs.push(performance.now());
      await until(() => performance.now() - sentAtMs >= SEND_EVERY_MS);
    }
    const killedAtMs = performance.now();
    await service.stop('SIGKILL');
    await redis.flush();

    const next = await Service.start(env);
    const counts = await onDatabase<{ admitted: number }>(
      database,
      'select coalesce(sum(admitted), 0)::int as admitted from usage_days',
    );
    const recorded = counts[0]!.admitted;
    expect(recorded).toBeLessThanOrEqual(answeredAtMs.length);
    const behindMs = killedAtMs - (answeredAtMs[recorded] ?? killedAtMs);
    expect(behindMs).toBeLessThan(LOST_AT_MOST_MS);
    const { headers } = await caller.send(next.url, { path });
    expect(dayLeft({ headers })).toBe(PER_DAY - recorded - 1);
  }
});
