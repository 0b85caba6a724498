import { afterEach, describe, expect, it } from '@jest/globals';
import { databaseKinds, onDatabase, type TestDatabase } from '../support/databases.js';
import { dayLeft } from '../support/http/limits.js';
import { until, untilDayHasRoom } from '../support/until.js';
import { redisKinds, type TestRedis } from '../support/servers/redis.js';
import { Service } from '../support/service.js';
import { reportFigures } from './support/figures.js';
import { Requester } from './support/requester.js';

/** Longer than the allowed loss, so that some usage must have been written. */
const LOAD_MS = 13_000;
const SEND_EVERY_MS = 20;
const LOST_AT_MOST_MS = 10_000;
const PER_DAY = 1_000_000;

interface Place {
  name: string;
  database: TestDatabase;
  redis: TestRedis;
}

describe('recorded usage', () => {
  const places: Place[] = [];
  afterEach(async () => {
    await Service.killAll();
    for (const { database, redis } of places.splice(0)) {
      await redis.drop();
      await database.drop();
    }
  });

  it('is at most 10 s behind after a kill -9, and is the new count of the day', async () => {
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
    // All on one day, and in parallel, because each waits for its load to end.
    await untilDayHasRoom(120_000);
    await Promise.all(places.map(expectRecorded));
  });

  async function expectRecorded({ name, database, redis }: Place): Promise<void> {
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
    caller.close();
    reportFigures(`usage after kill -9 (${name})`, {
      answered: answeredAtMs.length,
      recorded,
      'behind ms': Math.round(behindMs),
    });
  }
});
