import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';
import { isDatabaseAway } from '../common/errors/database-errors.js';

/** Each statement uses one connection. */
const MAX_STATEMENTS = 2;

/**
 * Lets values that arrive in one turn of the event loop, or while other statements are under way, share one statement of at most
 * `maxBatchSize` values. Not for use within a transaction, which belongs to one request. `work` resolves with one result for each value, in
 * their order, or rejects and has changed nothing. A value with which the statement is wrong does not fail the others: then each gets a
 * statement of its own.
 */
export function batches<Value, Result>(
  maxBatchSize: number,
  work: (values: readonly Value[]) => Promise<Result[]>,
): DataLoader<Value, Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  const start = (dispatch: () => void) => {
    running += 1;
    setImmediate(dispatch);
  };
  const runBatch = async (values: readonly Value[]) => {
    let ready = waiting;
    try {
      const results = await work(values).catch((error: unknown) => {
        // What became of the statement is unknown when the database fails: nothing is repeated.
        if (values.length === 1 || isDatabaseAway(error)) throw error;
        return oneByOne(values, work);
      });
      ready = waiting.slice(0, 1);
      return results;
    } finally {
      // After a failure no batch waits for another one to fail too.
      running -= 1;
      waiting.splice(0, ready.length).forEach(start);
    }
  };
  return new DataLoader<Value, Result>(runBatch, {
    cache: false,
    maxBatchSize,
    batchScheduleFn: (dispatch) => {
      if (running < MAX_STATEMENTS) start(dispatch);
      // In traces the statement belongs to the request with its first value.
      else waiting.push(AsyncLocalStorage.bind(dispatch));
    },
  });
}

/** One result or error for each value. After a failure of the database the further values get the same error. */
async function oneByOne<Value, Result>(
  values: readonly Value[],
  work: (values: readonly Value[]) => Promise<Result[]>,
): Promise<(Result | Error)[]> {
  const results: (Result | Error)[] = [];
  let failure: Error | undefined;
  for (const value of values) {
    try {
      if (failure) throw failure;
      results.push(...(await work([value])));
    } catch (error) {
      if (isDatabaseAway(error)) failure = error as Error;
      results.push(error as Error);
    }
  }
  return results;
}
