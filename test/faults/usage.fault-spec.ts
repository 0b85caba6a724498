import { afterEach, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { dayLeft } from '../support/http/limits.js';
import { until, untilMinuteHasRoom } from '../support/until.js';
import { redisKinds, type TestRedis } from '../support/servers/redis.js';
import { Service } from '../support/service.js';
import { reportFigures } from './support/figures.js';
import { Requester } from './support/requester.js';

/** Longer than what may be lost, so that something must have been written. */
const ASKED_FOR_MS = 13_000;
const ASK_EVERY_MS = 20;
const LOST_AT_MOST_MS = 10_000;
const PER_DAY = 1_000_000;

interface Place {
  name: string;
  database: TestDatabase;
  redis: TestRedis;
}

describe('what a key has used', () => {
  const places: Place[] = [];
  afterEach(async () => {
    await Service.killAll();
    for (const { database, redis } of places.splice(0)) {
      await redis.drop();
      await database.drop();
    }
  });

  it('is at most 10 s behind after a kill -9, and today goes on from there with the counters gone', async () => {
    const [inMemory] = redisKinds;
    for (const kind of databaseKinds)
      places.push({
        name: `${kind.name}, in memory`,
        database: await kind.create(),
        redis: await inMemory!.create(),
      });
    const [, shared] = redisKinds;
    if (shared)
      places.push({
        name: 'in Redis, flushed',
        database: await databaseKinds.at(-1)!.create(),
        redis: await shared.create(),
      });
    // All on one day. Side by side, for each has to wait for its time to pass.
    await untilMinuteHasRoom(40_000);
    await Promise.all(places.map(expectRecorded));
  });

  async function expectRecorded({ name, database, redis }: Place): Promise<void> {
    const env = { ...database.env, ...redis.env };
    const service = await Service.start(env);
    const caller = new Requester(await service.issueKey({ perMinute: PER_DAY, perDay: PER_DAY }));
    const path = '/v1/pets?limit=1';
    const answeredAtMs: number[] = [];
    const begunAtMs = performance.now();
    while (performance.now() - begunAtMs < ASKED_FOR_MS) {
      const askedAtMs = performance.now();
      expect((await caller.send(service.url, { path })).status).toBe(200);
      answeredAtMs.push(performance.now());
      await until(() => performance.now() - askedAtMs >= ASK_EVERY_MS);
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
    caller.close();
    reportFigures(`usage after kill -9 (${name})`, {
      answered: answeredAtMs.length,
      recorded,
      'behind ms': Math.round(behindMs),
    });
  }
});
