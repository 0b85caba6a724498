import { describe, expect, it } from '@jest/globals';
import { DatabaseUnavailableError } from '../database/database.errors.js';
import { BatchLoader } from './batch-loader.js';

const LIMITS = { maxStatements: 2, keysPerStatement: 16, maxWaitMs: 1_000 };

/** Doubles numbers and records the batches. Fails for negative numbers, is unavailable for Infinity and loses values for NaN. */
function doublingLoader() {
  const batches: number[][] = [];
  const loader = new BatchLoader<number, number>((numbers) => {
    batches.push([...numbers]);
    if (numbers.includes(Infinity)) return Promise.reject(new DatabaseUnavailableError());
    if (numbers.some((number) => number < 0)) return Promise.reject(new RangeError('negative'));
    if (numbers.includes(NaN)) return Promise.resolve([]);
    return Promise.resolve(numbers.map((number) => 2 * number));
  }, LIMITS);
  const loadAll = (numbers: number[]) => Promise.allSettled(numbers.map((number) => loader.load(number)));
  return { loader, loadAll, batches };
}

/** A loader whose statements end when the test says so. */
function slowLoader() {
  const batches: number[][] = [];
  const statements: (() => void)[] = [];
  const loader = new BatchLoader<number, number>((numbers) => {
    batches.push([...numbers]);
    return new Promise((resolve) => statements.push(() => resolve([...numbers])));
  }, LIMITS);
  return { loader, batches, endOldest: () => statements.shift()?.() };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('a batch loader', () => {
  it('loads a key at once if a statement is free, and waiting keys in one statement', async () => {
    const { loader, batches, endOldest } = slowLoader();
    const first = loader.load(1);
    await tick();
    const second = loader.load(2);
    await tick();
    const others = [3, 4, 5].map((key) => loader.load(key));
    await tick();
    expect(batches).toEqual([[1], [2]]);
    endOldest();
    expect(await first).toBe(1);
    await tick();
    expect(batches).toEqual([[1], [2], [3, 4, 5]]);
    endOldest();
    endOldest();
    expect(await Promise.all([second, ...others])).toEqual([2, 3, 4, 5]);
    const next = loader.load(6);
    await tick();
    endOldest();
    expect(await next).toBe(6);
  });

  it('loads the keys of one turn of the event loop in one batch', async () => {
    const { loader, batches } = doublingLoader();
    expect(await Promise.all([1, 2, 1].map((number) => loader.load(number)))).toEqual([2, 4, 2]);
    expect(batches).toEqual([[1, 2, 1]]);
  });

  it('fails only for the key that makes a batch fail', async () => {
    const { loadAll } = doublingLoader();
    expect(await loadAll([1, -1, 3])).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'rejected', reason: expect.any(RangeError) },
      { status: 'fulfilled', value: 6 },
    ]);
  });

  it('loads no key twice after a successful statement', async () => {
    const { loadAll, batches } = doublingLoader();
    expect((await loadAll([1, NaN])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });

  it('does not repeat a load while the database is unavailable', async () => {
    const { loadAll, batches } = doublingLoader();
    expect((await loadAll([1, Infinity])).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });
});
