import { afterEach, describe, expect, it } from '@jest/globals';
import { dayLeft } from '../support/http/client.js';
import { cleanUp } from '../support/clean-up.js';
import {
  anyKind,
  connectTo,
  databaseKinds,
  describeOnServer,
  onDatabase,
  type DatabaseKind,
} from '../support/databases.js';
import { until, untilDayHasRoom } from '../support/until.js';
import { redisKinds, type RedisKind } from '../support/servers/redis.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { Service } from '../support/service.js';
import { distWith } from '../support/short-durations.js';
import { Requester } from './support/requester.js';

/** Longer than the allowed loss, so that some usage must have been written. */
const LOAD_MS = 13_000;
const SEND_EVERY_MS = 20;
const LOST_AT_MOST_MS = 10_000;
const PER_DAY = 1_000_000;
const CUTS = 3;
/** Longer than the test needs to see a commit, and shorter than a timeout of the service. */
const DELAY_MS = 300;
const ADMITTED = 'select coalesce(sum(admitted), 0)::int as admitted from usage_days';

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
    const counts = await onDatabase<{ admitted: number }>(database, ADMITTED);
    const recorded = counts[0]!.admitted;
    expect(recorded).toBeLessThanOrEqual(answeredAtMs.length);
    const behindMs = killedAtMs - (answeredAtMs[recorded] ?? killedAtMs);
    expect(behindMs).toBeLessThan(LOST_AT_MOST_MS);
    const { headers } = await caller.send(next.url, { path });
    expect(dayLeft({ headers })).toBe(PER_DAY - recorded - 1);
  }
});

describeOnServer('usage whose write gets no answer', (kind) => {
  afterEach(cleanUp);

  it('is counted once', async () => {
    await untilDayHasRoom();
    const database = await kind.create();
    const proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    const env = { ...database.env, DATABASE_URL: proxy.url };
    const service = await Service.start(env, distWith({ closeWithinMs: 10_000, taskPauseMs: 500 }));
    const caller = new Requester(await service.issueKey());
    const session = await connectTo(database);
    const written = async () => (await session.query<{ admitted: number }>(ADMITTED)).rows[0]!.admitted;
    let answers = 0;
    const untilAskedAndWritten = async () => {
      const before = await written();
      // A 503 is counted too, if the key was known.
      await until(async () => dayLeft(await caller.send(service.url, { path: '/v1/pets?limit=1' })) >= 0);
      answers += 1;
      await until(async () => (await written()) > before);
    };
    for (let cut = 1; cut <= CUTS; cut += 1) {
      // Opens the connections that the next write uses.
      await untilAskedAndWritten();
      proxy.delay(DELAY_MS);
      await untilAskedAndWritten();
      // The answer of the commit is still under way.
      proxy.cut();
      proxy.restore();
    }
    await session.end();
    expect(await service.stop()).toBe(0);
    expect(await onDatabase(database, ADMITTED)).toEqual([{ admitted: answers }]);
  });
});
