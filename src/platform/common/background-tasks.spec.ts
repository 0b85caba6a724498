import { expect, it } from '@jest/globals';
import { PeriodicTask } from './background-tasks.js';

it('a periodic task reports the first of several failures in a row', async () => {
  const outcomes = ['a', 'b', undefined, 'c'];
  const reported: unknown[] = [];
  const work = async () => {
    const failure = await Promise.resolve(outcomes.shift());
    if (failure) throw new Error(failure);
  };
  const task = new PeriodicTask(1_000, work, (error) => reported.push((error as Error).message));
  while (outcomes.length > 0) await task.run();
  expect(reported).toEqual(['a', 'c']);
});
