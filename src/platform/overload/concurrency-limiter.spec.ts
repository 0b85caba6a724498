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
async function wait(name: string, owner?: string): Promise<void> {
  try {
    await limiter.acquire(owner);
    log.push(name);
  } catch (error) {
    log.push(`${name}: ${(error as Error).message}`);
  }
}

it('admits waiting callers one by one in order of arrival', async () => {
  const everyone = ['a', 'b', 'c', 'd', 'e'].map((name) => wait(name));
  await Promise.all(everyone.slice(0, 2));
  expect(log).toEqual(['a', 'b']);
  limiter.release();
  await everyone[2];
  limiter.release();
  limiter.release();
  await Promise.all(everyone);
  expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('admits waiting owners round-robin, however many callers each has', async () => {
  await Promise.all([wait('a1', 'a'), wait('a2', 'a')]);
  const waiting = ['a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => wait(name, name[0]));
  waiting.forEach(() => limiter.release());
  await Promise.all(waiting);
  expect(log).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
});

it('refuses late callers of every owner, and keeps the others', async () => {
  await Promise.all([wait('a1', 'a'), wait('a2', 'a')]);
  const late = [wait('a3', 'a'), wait('b1', 'b')];
  jest.advanceTimersByTime(500);
  const inTime = [wait('c1', 'c'), wait('a4', 'a')];
  jest.advanceTimersByTime(500);
  await Promise.all(late);
  expect(log.slice(2)).toEqual(['a3: too long', 'b1: too long']);
  limiter.release();
  limiter.release();
  await Promise.all(inTime);
  expect(log.slice(4)).toEqual(['a4', 'c1']);
  limiter.release();
  expect(limiter.acquire()).toBeUndefined();
});

it('refuses a caller only while it waits', async () => {
  await Promise.all([wait('a'), wait('b')]);
  const third = wait('c');
  jest.advanceTimersByTime(500);
  limiter.release();
  const fourth = wait('d');
  jest.advanceTimersByTime(500);
  limiter.release();
  jest.advanceTimersByTime(500);
  await Promise.all([third, fourth]);
  expect(log).toEqual(['a', 'b', 'c', 'd']);
});
