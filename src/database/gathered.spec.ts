import { describe, expect, it } from '@jest/globals';
import { databaseUnavailable } from './database.errors.js';
import { Gathered } from './gathered.js';

/** Doubles numbers, notes how they came, fails for those that are negative and loses answers over one that is none. */
function doubling() {
  const statements: number[][] = [];
  const gathered = new Gathered<number, number>((numbers) => {
    statements.push(numbers);
    if (numbers.includes(Infinity)) return Promise.reject(databaseUnavailable());
    if (numbers.some((number) => number < 0)) return Promise.reject(new RangeError('negative'));
    if (numbers.includes(NaN)) return Promise.resolve([]);
    return Promise.resolve(numbers.map((number) => 2 * number));
  });
  return { gathered, statements };
}

describe('questions of one turn of the event loop', () => {
  it('are one statement, and each gets its own answer', async () => {
    const { gathered, statements } = doubling();
    expect(await Promise.all([1, 2, 3].map((number) => gathered.ask(number)))).toEqual([2, 4, 6]);
    expect(statements).toEqual([[1, 2, 3]]);
    expect(await gathered.ask(4)).toBe(8);
    expect(statements).toEqual([[1, 2, 3], [4]]);
  });

  it('are several statements when they are many', async () => {
    const { gathered, statements } = doubling();
    const numbers = Array.from({ length: 34 }, (_, index) => index);
    expect(await Promise.all(numbers.map((number) => gathered.ask(number)))).toEqual(
      numbers.map((number) => 2 * number),
    );
    expect(statements.map(({ length }) => length)).toEqual([16, 16, 2]);
  });

  it('do not pay for the fault of one', async () => {
    const { gathered } = doubling();
    const [first, second, third] = await Promise.allSettled([1, -1, 3].map((number) => gathered.ask(number)));
    expect([first, third]).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'fulfilled', value: 6 },
    ]);
    expect(second).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
  });

  it('are not asked again once the statement is done, whatever it answered', async () => {
    const { gathered, statements } = doubling();
    const outcomes = await Promise.allSettled([1, NaN].map((number) => gathered.ask(number)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements).toHaveLength(1);
  });

  it('are not asked again of a database that is away', async () => {
    const { gathered, statements } = doubling();
    const outcomes = await Promise.allSettled([1, Infinity].map((number) => gathered.ask(number)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(statements).toHaveLength(1);
  });
});
