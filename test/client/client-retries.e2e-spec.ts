import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AnimalStoreClient, type ClientOptions } from '../../packages/client/src/client.js';
import { systemTimer } from '../../packages/client/src/timer.js';
import { TurnedTimer } from '../../packages/client/src/timer-under-test.js';
import { call } from '../support/http/client.js';
import {
  databaseKinds,
  embedded,
  describeOnServer,
  onDatabase,
  type Env,
  type TestDatabase,
} from '../support/databases.js';
import { cleanUp, Service, sharedService } from '../support/service.js';
import { StoppedClock } from '../support/stopped-clock.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
const REX = { name: 'Rex', categoryId: 7 };

/** A client and the responses to its attempts. */
function watched(options: ClientOptions) {
  const answers: Response[] = [];
  const client = new AnimalStoreClient({
    ...options,
    fetch: async (...request) => {
      const answer = await fetch(...request);
      answers.push(answer);
      return answer;
    },
  });
  return { client, answers };
}

/** The number of animals in a category. */
async function petsIn(database: { env: Env }, { categoryId }: typeof REX): Promise<number> {
  const count = 'select count(*)::int as count from pets where category_id = $1';
  const [row] = await onDatabase<{ count: number }>(database, count, [categoryId]);
  return row!.count;
}

describe('the client over its rate limit', () => {
  let service: Service;
  let clock: StoppedClock;
  let options: ClientOptions;

  beforeAll(async () => {
    // At noon, because the tests turn it by minutes, and one expects the same day.
    clock = new StoppedClock(Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2);
    service = await Service.start({ ...(await embedded.create()).env, ...clock.env });
  });
  beforeEach(async () => {
    clock.toHalfMinute();
    const apiKey = await service.issueKey({ perMinute: 2, perDay: 5 });
    options = { baseUrl: `${service.url}/v1`, apiKey };
  });
  afterAll(async () => {
    clock.drop();
    await cleanUp();
  });

  it('waits for Retry-After and then succeeds', async () => {
    const timer = new TurnedTimer((waitMs) => clock.turn(waitMs));
    const { client, answers } = watched({ ...options, timer });
    const made = [await client.createPet(REX), await client.createPet(REX), await client.createPet(REX)];
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429, 201]);
    // The clock stands at 30 s past the minute.
    expect(answers[2]!.headers.get('retry-after')).toBe('30');
    expect(timer.waitsMs).toEqual([30_375]);
    expect(client.limits).toMatchObject({ limit: 2, remaining: 1 });
  });

  it('waits again while it is refused, and throws the refusal after the last retry', async () => {
    const timer = new TurnedTimer(() => clock.turn(1_000));
    const { client, answers } = watched({ ...options, timer, maxRetries: 2 });
    await client.listPets();
    await client.listPets();
    await expect(client.listPets()).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      retryAfterMs: 28_000,
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429, 429]);
    expect(timer.waitsMs).toEqual([30_375, 29_750]);
  });

  it('does not wait for the next day', async () => {
    const timer = new TurnedTimer((waitMs) => clock.turn(waitMs));
    const { client } = watched({ ...options, timer });
    for (let count = 0; count < 5; count += 1) await client.listPets();
    const waits = timer.waitsMs.length;
    await expect(client.listPets()).rejects.toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    expect(timer.waitsMs).toHaveLength(waits);
    expect(client.limits).toMatchObject({ limit: 5, remaining: 0 });
  });

  it('can be cancelled while it waits', async () => {
    const controller = new AbortController();
    const timer = {
      ...systemTimer,
      wait: (waitMs: number, signal: AbortSignal) => {
        const waiting = systemTimer.wait(waitMs, signal);
        controller.abort(new Error('enough'));
        return waiting;
      },
    };
    const { client, answers } = watched({ ...options, timer });
    const walked: unknown[] = [];
    // Earlier tests have left animals in other categories.
    const categoryId = 8;
    await client.createPet({ ...REX, categoryId });
    const walk = async () => {
      for (;;)
        for await (const pet of client.pets({ categoryId }, { signal: controller.signal })) walked.push(pet);
    };
    await expect(walk()).rejects.toThrow('enough');
    expect(walked).toHaveLength(1);
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 429]);
  });
});

describe.each(databaseKinds)('the client with a broken connection to a service on $name', (kind) => {
  const service = sharedService(kind);
  // The service is shared, so only this file uses this category.
  const rex = { name: 'Rex', categoryId: randomInt(2 ** 40) };
  let proxy: TcpProxy;
  let options: ClientOptions;

  beforeEach(async () => {
    proxy = await TcpProxy.before(service.url);
    options = { baseUrl: `${new URL(proxy.url).origin}/v1`, apiKey: await service.issueKey() };
  });
  afterEach(() => proxy.close());

  it('gets the first response after a commit, and creates one row', async () => {
    const timer = new TurnedTimer(() => proxy.restore());
    const { client, answers } = watched({ ...options, timer });
    proxy.mute();
    const pet = await client.createPet(rex);
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(['true']);
    expect(timer.waitsMs).toHaveLength(1);
    expect(await petsIn(service, rex)).toBe(1);
    expect((await client.listPets({ categoryId: rex.categoryId })).items).toEqual([pet]);
  });

  it('repeats a request that did not arrive until it succeeds', async () => {
    const timer: TurnedTimer = new TurnedTimer(() => {
      if (timer.waitsMs.length === 3) proxy.restore();
    });
    const { client } = watched({ ...options, timer });
    const before = await petsIn(service, rex);
    proxy.cut();
    expect(await client.createPet(rex)).toMatchObject(rex);
    expect(timer.waitsMs).toEqual([375, 750, 1_500]);
    expect(await petsIn(service, rex)).toBe(before + 1);
  });

  it('throws a ConnectionError after the last retry', async () => {
    const { client } = watched({ ...options, timer: new TurnedTimer(), maxRetries: 1 });
    proxy.cut();
    await expect(client.listPets()).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('no answer in 2 attempts'),
    });
  });
});

describeOnServer('the client without a database of the service', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;

  beforeEach(async () => {
    database = await kind.create();
    proxy = await TcpProxy.before(database.env.DATABASE_URL!);
  });
  afterEach(async () => {
    await cleanUp();
    await proxy.close();
  });

  it('waits for the database and creates one row', async () => {
    const service = await Service.start({ DATABASE_URL: proxy.url });
    const timer = new TurnedTimer(async () => {
      proxy.restore();
      await until(async () => (await call(service.url, { path: '/health/ready' })).status === 200);
    });
    const apiKey = await service.issueKey();
    const { client, answers } = watched({ baseUrl: `${service.url}/v1`, apiKey, timer });
    proxy.cut();
    expect(await client.createPet(REX)).toMatchObject(REX);
    expect(answers.map(({ status }) => status)).toEqual([503, 201]);
    const retryAfterMs = Number(answers[0]!.headers.get('retry-after')) * 1_000;
    expect(retryAfterMs).toBeGreaterThanOrEqual(1_000);
    expect(timer.waitsMs).toEqual([retryAfterMs + 375]);
    expect(await petsIn(database, REX)).toBe(1);
  });
});
