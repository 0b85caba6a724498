import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

let limiter: ConcurrencyLimiter;
let log: string[];

beforeEach(() => {
  jest.useFakeTimers();
  limiter = new ConcurrencyLimiter(2, 1_000, () => new Error('too long'));
  log = [];
});
afterEach(() => {
  jest.useRealTimers();
});

/** Records when a caller gets its slot or is refused. */
async function wait(name: string): Promise<void> {
  try {
    await limiter.acquire();
    log.push(name);
  } catch (error) {
    log.push(`${name}: ${(error as Error).message}`);
  }
}

it('admits as many callers at once as there are slots, without a wait', () => {
  expect([limiter.acquire(), limiter.acquire()]).toEqual([undefined, undefined]);
  expect(limiter.acquire()).toBeInstanceOf(Promise);
});

it('lets the others in one by one, in the order they came', async () => {
  const everyone = ['a', 'b', 'c', 'd', 'e'].map(wait);
  await Promise.all(everyone.slice(0, 2));
  expect(log).toEqual(['a', 'b']);
  limiter.release();
  await everyone[2];
  limiter.release();
  limiter.release();
  await Promise.all(everyone);
  expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('refuses a caller that has waited too long, and removes it', async () => {
  await Promise.all([wait('a'), wait('b')]);
  const third = wait('c');
  jest.advanceTimersByTime(999);
  const fourth = wait('d');
  jest.advanceTimersByTime(1);
  await third;
  expect(log).toEqual(['a', 'b', 'c: too long']);
  limiter.release();
  await fourth;
  expect(log).toEqual(['a', 'b', 'c: too long', 'd']);
  jest.advanceTimersByTime(1_000);
  expect(log).toHaveLength(4);
});

it('frees slots that are returned while no caller waits', () => {
  void limiter.acquire();
  void limiter.acquire();
  limiter.release();
  limiter.release();
  expect([limiter.acquire(), limiter.acquire()]).toEqual([undefined, undefined]);
});
