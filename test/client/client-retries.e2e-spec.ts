import { randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AnimalStoreClient, type ClientOptions } from '../../packages/client/src/client.js';
import { TurnedTimer } from '../../packages/client/src/timer-under-test.js';
import { databaseKinds, embedded, onDatabase, type Env } from '../support/databases.js';
import { TcpProxy } from '../support/servers/tcp-proxy.js';
import { ownService, sharedService } from '../support/service.js';
import { StoppedClock } from '../support/stopped-clock.js';

const DAY_MS = 86_400_000;

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
async function petsIn(database: { env: Env }, categoryId: number): Promise<number> {
  const count = 'select count(*)::int as count from pets where category_id = $1';
  const [row] = await onDatabase<{ count: number }>(database, count, [categoryId]);
  return row!.count;
}

// retrying-fetch.spec.ts has the waits, also after a 503 and a failed request, the last retry, the longest wait and cancelling.
describe('the client over its rate limit', () => {
  // At noon, because the test turns it by minutes, and expects the same day.
  const clock = new StoppedClock(Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2);
  const service = ownService(embedded, clock.env);
  afterAll(() => clock.drop());

  it('waits for Retry-After and then succeeds, but does not wait for the next day', async () => {
    const timer = new TurnedTimer((waitMs) => clock.turn(waitMs));
    const apiKey = await service.issueKey({ perMinute: 2, perDay: 4 });
    const { client, answers } = watched({ baseUrl: `${service.url}/v1`, apiKey, timer });
    for (let made = 0; made < 3; made += 1) await client.createPet({ name: 'Rex', categoryId: 7 });
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429, 201]);
    // The clock stands at 30 s past the minute.
    expect(answers[2]!.headers.get('retry-after')).toBe('30');
    expect(timer.waitsMs).toEqual([30_375]);
    expect(client.limits).toMatchObject({ limit: 4, remaining: 1 });
    await client.listPets();
    await expect(client.listPets()).rejects.toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    expect(timer.waitsMs).toHaveLength(1);
    expect(await petsIn(service, 7)).toBe(3);
  });
});

describe.each(databaseKinds)('the client with a broken connection to a service on $name', (kind) => {
  const service = sharedService(kind);
  // The service is shared, so only this file uses this category.
  const categoryId = randomInt(2 ** 40);
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
    const pet = await client.createPet({ name: 'Rex', categoryId });
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(['true']);
    expect(timer.waitsMs).toHaveLength(1);
    expect((await client.listPets({ categoryId })).items).toEqual([pet]);
  });
});
