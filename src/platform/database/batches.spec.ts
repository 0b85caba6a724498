import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { batches } from './batches.js';

const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));
const immediate = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Until the values that wait are sent: in the turn after the one with an answer. */
async function turn(): Promise<void> {
  await immediate();
  await immediate();
}

/** Statements that a test answers; a result is twice its value. */
function setUp(maxBatchSize = 100) {
  const statements: { values: readonly number[]; answer: (failure?: Error) => void; request: unknown }[] = [];
  const request = new AsyncLocalStorage<string>();
  const loader = batches(maxBatchSize, (values: readonly number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    const answer = (failure?: Error) =>
      failure ? reject(failure) : resolve(values.map((value) => value * 2));
    statements.push({ values, answer, request: request.getStore() });
    return promise;
  });
  const load = (...values: number[]) => Promise.all(values.map((value) => loader.load(value)));
  return { statements, request, load, sent: () => statements.map(({ values }) => values) };
}

describe('values', () => {
  it('of one turn share a statement, and get their own results', async () => {
    const { statements, load, sent } = setUp();
    const results = [load(1, 2)];
    await tick();
    await tick();
    results.push(load(3));
    await turn();
    expect(sent()).toEqual([[1, 2, 3]]);
    statements[0]!.answer();
    expect(await Promise.all(results)).toEqual([[2, 4], [6]]);
  });

  it('that arrive while two statements are under way share the next one', async () => {
    const { statements, load, sent } = setUp();
    const results: Promise<number[]>[] = [];
    for (const value of [1, 2, 3, 4]) {
      results.push(load(value));
      await turn();
    }
    expect(sent()).toEqual([[1], [2]]);
    statements[1]!.answer();
    await turn();
    expect(sent()).toEqual([[1], [2], [3, 4]]);
    for (const { answer } of statements) answer();
    expect(await Promise.all(results)).toEqual([[2], [4], [6], [8]]);
  });

  it('are at most as many as a statement takes', async () => {
    const { load, sent } = setUp(2);
    void load(1, 2, 3);
    await turn();
    expect(sent()).toEqual([[1, 2], [3]]);
  });

  it('do not wait for further failures after one', async () => {
    const { statements, load, sent } = setUp(1);
    const results = Promise.allSettled([1, 2, 3, 4].map((value) => load(value)));
    await turn();
    statements[0]!.answer(new Error('away'));
    await turn();
    expect(sent()).toEqual([[1], [2], [3], [4]]);
    for (const { answer } of statements) answer();
    expect((await results).map(({ status }) => status)).toEqual([
      'rejected',
      ...Array<string>(3).fill('fulfilled'),
    ]);
  });

  it('of a statement that is wrong get a statement each, and only the wrong one fails', async () => {
    const { statements, load, sent } = setUp();
    const results = Promise.allSettled([1, 2, 3].map((value) => load(value)));
    await turn();
    statements[0]!.answer(new Error('a value is wrong'));
    for (const [index, failure] of [undefined, new Error('this value is wrong'), undefined].entries()) {
      await turn();
      statements[1 + index]!.answer(failure);
    }
    expect(sent()).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect(await results).toEqual([
      { status: 'fulfilled', value: [2] },
      { status: 'rejected', reason: new Error('this value is wrong') },
      { status: 'fulfilled', value: [6] },
    ]);
  });

  it('are not repeated when the database fails', async () => {
    const { statements, load, sent } = setUp();
    const away = new Error('Connection terminated unexpectedly');
    const results = Promise.allSettled([1, 2].map((value) => load(value)));
    await turn();
    statements[0]!.answer(away);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent()).toEqual([[1, 2]]);
  });

  it('are not sent one by one any more once the database has failed', async () => {
    const { statements, load, sent } = setUp();
    const results = Promise.allSettled([1, 2, 3].map((value) => load(value)));
    await turn();
    statements[0]!.answer(new Error('a value is wrong'));
    await turn();
    statements[1]!.answer();
    await turn();
    statements[2]!.answer(new Error('Connection terminated unexpectedly'));
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(sent()).toEqual([[1, 2, 3], [1], [2]]);
  });

  it('run in the context of their first request', async () => {
    const { statements, request, load } = setUp(1);
    for (const name of ['a', 'b', 'c']) void request.run(name, () => load(1));
    await turn();
    statements[0]!.answer();
    await turn();
    expect(statements.map((statement) => statement.request)).toEqual(['a', 'b', 'c']);
  });
});
