import { expect, it } from '@jest/globals';
import { AnimalStoreClient } from '../../packages/client/src/client.js';
import { TurnedTimer } from '../../packages/client/test/turned-timer.js';
import { embedded } from '../support/databases.js';
import { ownService } from '../support/service.js';
import { StoppedClock } from '../support/stopped-clock.js';

const DAY_MS = 86_400_000;

// At noon, because the test turns it by minutes, and expects the same day.
const clock = new StoppedClock(Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2);
const service = ownService(embedded, clock.env);

// retrying-fetch.spec.ts has every other retry.
it('the client waits for Retry-After and then succeeds, but does not wait for the next day', async () => {
  const timer = new TurnedTimer((waitMs) => clock.turn(waitMs));
  const answers: Response[] = [];
  const client = new AnimalStoreClient({
    baseUrl: `${service.url}/v1`,
    apiKey: await service.issueKey({ perMinute: 2, perDay: 4 }),
    timer,
    fetch: async (...request) => {
      const answer = await fetch(...request);
      answers.push(answer);
      return answer;
    },
  });
  const made = [];
  while (made.length < 3) made.push(await client.createPet({ name: 'Rex', categoryId: 7 }));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 429, 201]);
  // The clock stands at 30 s past the minute.
  expect(answers[2]!.headers.get('retry-after')).toBe('30');
  expect(timer.waitsMs).toEqual([30_375]);
  expect(client.limits).toMatchObject({ limit: 4, remaining: 1 });
  expect((await client.listPets()).items).toEqual(made);
  await expect(client.listPets()).rejects.toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
  expect(timer.waitsMs).toHaveLength(1);
});
