import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Turns } from './turns.js';

let turns: Turns;
let log: string[];

beforeEach(() => {
  jest.useFakeTimers();
  turns = new Turns(2, 1_000, () => new Error('too long'));
  log = [];
});
afterEach(() => {
  jest.useRealTimers();
});

/** Notes when it is somebody's turn, or that they were turned away. */
async function wait(name: string): Promise<void> {
  try {
    await turns.take();
    log.push(name);
  } catch (error) {
    log.push(`${name}: ${(error as Error).message}`);
  }
}

it('lets as many in at once as there are turns, without making them wait', () => {
  expect([turns.take(), turns.take()]).toEqual([undefined, undefined]);
  expect(turns.take()).toBeInstanceOf(Promise);
});

it('lets the others in one by one, in the order they came', async () => {
  const everyone = ['a', 'b', 'c', 'd', 'e'].map(wait);
  await Promise.all(everyone.slice(0, 2));
  expect(log).toEqual(['a', 'b']);
  turns.end();
  await everyone[2];
  turns.end();
  turns.end();
  await Promise.all(everyone);
  expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('turns away who has waited too long, and forgets them', async () => {
  await Promise.all([wait('a'), wait('b')]);
  const third = wait('c');
  jest.advanceTimersByTime(999);
  const fourth = wait('d');
  jest.advanceTimersByTime(1);
  await third;
  expect(log).toEqual(['a', 'b', 'c: too long']);
  turns.end();
  await fourth;
  expect(log).toEqual(['a', 'b', 'c: too long', 'd']);
  jest.advanceTimersByTime(1_000);
  expect(log).toHaveLength(4);
});

it('gives back what was ended while nobody waited', () => {
  void turns.take();
  void turns.take();
  turns.end();
  turns.end();
  expect([turns.take(), turns.take()]).toEqual([undefined, undefined]);
});
